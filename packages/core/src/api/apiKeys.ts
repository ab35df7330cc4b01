/** The operations on the keys of the HTTP interface. */
import * as Schema from "effect/Schema"
import { scopes } from "../domain/access/ApiKeyScope.ts"
import { ApiKeyId } from "../domain/values/Ids.ts"
import * as Fields from "./Fields.ts"
import { get, operation, post } from "./Operation.ts"

const { field, optional, record, text } = Fields

const environment = Schema.Literals(["live", "test"])

const scope = Schema.Literals(scopes).annotate({ named: "ApiKeyScope" })

const apiKey = record("ApiKey", "A key of the HTTP interface, without its text.", {
  id: Fields.id(ApiKeyId),
  name: Schema.String,
  environment,
  createdAt: Fields.time,
  createdBy: text("The actor who created it, as in the audit. Empty if an older build created it."),
  expiresAt: field(Fields.timeOrNull, "`null`: the key does not expire."),
  revokedAt: Fields.timeOrNull,
  scopes: field(Schema.NullOr(Schema.Array(scope)), "The scopes of the key. `null`: all scopes."),
  lastUsedAt: field(
    Fields.timeOrNull,
    "`null`: never used. The last use is at most a minute later.",
  ),
  requests: field(
    Schema.Int,
    "Number of requests with the key today and on the six days before (UTC), except in the last minute; 0 without totals.",
  ),
})

const path = "/organizations/:organization/api-keys"

export const apiKeys = {
  create: operation({
    summary: "Create an API key",
    meaning: "Only this answer contains the key.",
    input: Fields.input("CreateApiKey", "A key to create.", {
      name: text("A name for people; 1 to 100 printable characters."),
      environment: optional(environment, "Only the text of the key differs.", "`live`"),
      scopes: optional(
        Schema.Array(scope),
        "The scopes of the key; requests in other scopes are answered 403.",
        "everything",
      ),
      expiresAt: optional(
        Fields.time,
        "In the future. From then on the key is refused like an unknown one.",
        "never",
      ),
    }),
    output: record("CreatedApiKey", "A new key with its text, which is not shown again.", {
      ...apiKey.fields,
      key: Fields.secret,
    }),
    errors: ["invalid_request"],
    admin: post("apiKeys.create", "admin", path, {
      example: { name: "server", scopes: ["messages:send"] },
    }),
  }),
  list: operation({
    summary: "List API keys",
    meaning: "The oldest first. Revoked keys are included.",
    input: Fields.listPage,
    output: Schema.Array(apiKey).annotate({ description: "A page of keys, the oldest first." }),
    listing: { from: "after", by: "id" },
    admin: get("apiKeys.list", "read", path, { page: "apiKeys", pageName: "ApiKeyList" }),
  }),
  revoke: operation({
    summary: "Revoke an API key",
    meaning:
      "It stops at the next request, on every node. Revoking twice is not an error and keeps the time of the first revocation.",
    input: Fields.input("ApiKeyRef", "Selects a key.", {
      id: field(Fields.id(ApiKeyId), "The id of the key."),
    }),
    output: Schema.Void,
    errors: ["api_key_not_found"],
    admin: post("apiKeys.revoke", "admin", `${path}/:id/revoke`),
  }),
}
