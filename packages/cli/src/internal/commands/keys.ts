import { apiKeys } from "@countersign/core/api/apiKeys"
import { showing } from "@countersign/core/api/Operation"
import type { ApiKey } from "@countersign/core/api/types/apiKeys"
import { ApiKeyId } from "@countersign/core/domain/values/Ids"
import { scopes as allScopes } from "@countersign/core/domain/access/ApiKeyScope"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { organizationCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { argument, many, optionally, time } from "../flags.ts"
import { print, printDone, printTable } from "../output.ts"
import { allOf } from "../pages.ts"
import { record } from "../table.ts"

const create = organizationCommand(
  "create",
  "Create an API key and print it, once",
  {
    name: argument("name", "A name for people"),
    environment: Flag.Literals("environment", ["live", "test"]).pipe(
      Flag.withDescription("Only the text of the key differs"),
      Flag.withDefault("live"),
    ),
    expiresAt: optionally(time("expires-at", "The key is refused from then on")),
    scopes: many(
      "scope",
      allScopes,
      "What the key may be used for; repeatable. Default: everything",
    ),
  },
  Effect.fnUntraced(function* (organization, input) {
    const keys = yield* ApiKeys
    const created = showing(apiKeys.create)(yield* keys.create({ organization, ...input }))
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

const list = organizationCommand(
  "list",
  "List the API keys of an organization",
  {},
  Effect.fnUntraced(function* (organization) {
    const keys = yield* ApiKeys
    const found = yield* allOf((page) => keys.list({ organization, ...page }))
    yield* printTable<ApiKey>(
      showing(apiKeys.list)(found),
      [
        "id",
        "name",
        "environment",
        { title: "scopes", of: ({ scopes }) => scopes?.join(", ") ?? "everything" },
        { title: "created", of: ({ createdAt }) => createdAt },
        { title: "last used", of: ({ lastUsedAt }) => lastUsedAt },
        { title: "state", of: stateOf },
        { title: "until", of: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt },
      ],
      { empty: `${organization} has no API keys.` },
    )
  }),
)

const revoke = organizationCommand(
  "revoke",
  "Revoke an API key",
  { id: argument("id", "The id of the key") },
  Effect.fnUntraced(function* (organization, { id }) {
    const keys = yield* ApiKeys
    yield* confirm(`Revoke the key ${id}? It cannot be made valid again.`)
    yield* keys.revoke({ organization, id: ApiKeyId(id) })
    yield* printDone({ id }, `The key ${id} is revoked.`)
  }),
)

export const key = Command.make("key").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke]),
)
