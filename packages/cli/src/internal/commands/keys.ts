import { apiKeys } from "@countersign/core/api/apiKeys"
import { showing } from "@countersign/core/api/Operation"
import type { ApiKey } from "@countersign/core/api/types/apiKeys"
import * as Input from "@countersign/core/codec/InputReaders"
import { ApiKeyId } from "@countersign/core/domain/values/Ids"
import { scopes as allScopes } from "@countersign/core/domain/access/ApiKeyScope"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { engineCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { print, printDone, printTable } from "../output.ts"
import { allOf } from "../pages.ts"
import { organization } from "../settings.ts"
import { record } from "../table.ts"
import { time } from "../times.ts"

const create = engineCommand(
  "create",
  "Create an API key and print it, once",
  {
    organization,
    name: Argument.String("name").pipe(Argument.withDescription("A name for people")),
    environment: Flag.Literals("environment", ["live", "test"]).pipe(
      Flag.withDescription("Only the text of the key differs"),
      Flag.withDefault("live"),
    ),
    expiresAt: time("expires-at", "The key is refused from then on").pipe(Flag.optional),
    scopes: Flag.Literals("scope", allScopes).pipe(
      Flag.withDescription("What the key may be used for; repeatable. Default: everything"),
      Flag.atLeast(0),
    ),
  },
  Effect.fnUntraced(function* ({ environment, expiresAt, name, scopes, ...input }) {
    const keys = yield* ApiKeys
    const made = yield* keys.create({
      organization: yield* Input.organizationOf(input),
      name,
      environment,
      expiresAt: Option.getOrUndefined(expiresAt),
      scopes: scopes.length === 0 ? undefined : scopes,
    })
    const created = showing(apiKeys.create)(made)
    yield* print(created, (zone) =>
      [
        record({ Id: created.id, Name: created.name, Key: created.key }, zone),
        "The key is shown only this once. Store it now.",
      ].join("\n"),
    )
  }),
)

const stateOf = ({ expiresAt, revokedAt }: ApiKey): string => {
  if (revokedAt !== null) return "revoked"
  return expiresAt === null ? "valid" : "expires"
}

const list = engineCommand(
  "list",
  "List the API keys of an organization",
  { organization },
  Effect.fnUntraced(function* (input) {
    const keys = yield* ApiKeys
    const organization = yield* Input.organizationOf(input)
    const found = yield* allOf((page) => keys.list({ organization, ...page }))
    yield* printTable<ApiKey>(
      showing(apiKeys.list)(found),
      [
        { title: "id", of: ({ id }) => id },
        { title: "name", of: ({ name }) => name },
        { title: "environment", of: ({ environment }) => environment },
        { title: "scopes", of: ({ scopes }) => scopes?.join(", ") ?? "everything" },
        { title: "created", of: ({ createdAt }) => createdAt },
        { title: "last used", of: ({ lastUsedAt }) => lastUsedAt },
        { title: "state", of: stateOf },
        { title: "until", of: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt },
      ],
      { empty: `${input.organization} has no API keys.` },
    )
  }),
)

const revoke = engineCommand(
  "revoke",
  "Revoke an API key",
  { organization, id: Argument.String("id").pipe(Argument.withDescription("The id of the key")) },
  Effect.fnUntraced(function* ({ id, ...input }) {
    const keys = yield* ApiKeys
    const owner = yield* Input.organizationOf(input)
    yield* confirm(`Revoke the key ${id}? It cannot be made valid again.`)
    yield* keys.revoke({ organization: owner, id: ApiKeyId(id) })
    yield* printDone({ id }, `The key ${id} is revoked.`)
  }),
)

export const key = Command.make("key").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke]),
)
