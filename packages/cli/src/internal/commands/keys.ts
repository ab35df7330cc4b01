import { apiKeys as rows } from "@countersign/core/api/apiKeys"
import { showing } from "@countersign/core/api/Operation"
import type { ApiKey } from "@countersign/core/api/types/apiKeys"
import { ApiKeyId } from "@countersign/core/domain/values/Ids"
import { scopes as allScopes } from "@countersign/core/domain/access/ApiKeyScope"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import * as Flag from "effect/cli/Flag"
import { allOf, confirm, group, organizationCommand } from "../command.ts"
import { argument, many, optionally, time } from "../flags.ts"
import { printDone, printRecord, printTable } from "../output.ts"

const settings = {
  name: argument("name", "A name for people"),
  environment: Flag.Literals("environment", ["live", "test"]).pipe(
    Flag.withDescription("Only the text of the key differs"),
    Flag.withDefault("live"),
  ),
  expiresAt: optionally(time("expires-at", "The key is refused from then on")),
  scopes: many("scope", allScopes, "What the key may be used for; repeatable. Default: everything"),
}

const create = organizationCommand("create", rows.create, settings, function* (organization, key) {
  const created = yield* ApiKeys.use((_) => _.create({ organization, ...key }))
  yield* printRecord(
    showing(rows.create)(created),
    ["id", "name", "key"],
    "The key is shown only this once. Store it now.",
  )
})

const stateOf = ({ expiresAt, revokedAt }: ApiKey): string => {
  if (revokedAt !== null) return "revoked"
  return expiresAt === null ? "valid" : "expires"
}

const list = organizationCommand("list", rows.list, {}, function* (organization) {
  const keys = yield* ApiKeys
  const found = yield* allOf((page) => keys.list({ organization, ...page }))
  yield* printTable<ApiKey>(
    showing(rows.list)(found),
    [
      "id",
      "name",
      "environment",
      ["scopes", ({ scopes }) => scopes?.join(", ") ?? "everything"],
      "createdAt",
      "lastUsedAt",
      ["state", stateOf],
      ["until", ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt],
    ],
    `${organization} has no API keys.`,
  )
})

const one = { id: argument("id", "The id of the key") }

const revoke = organizationCommand("revoke", rows.revoke, one, function* (organization, { id }) {
  yield* confirm(`Revoke the key ${id}? It cannot be made valid again.`)
  yield* ApiKeys.use((_) => _.revoke({ organization, id: ApiKeyId(id) }))
  yield* printDone({ id }, `The key ${id} is revoked.`)
})

export const key = group("key", [create, list, revoke], "API keys")
