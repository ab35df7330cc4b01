/** The endpoints about organizations, their keys, senders, money and webhooks. */
import * as Account from "@countersign/core/api/account"
import * as ApiKeys from "@countersign/core/api/apiKeys"
import * as Fields from "@countersign/core/api/Fields"
import * as Organizations from "@countersign/core/api/organizations"
import * as Senders from "@countersign/core/api/senders"
import * as Webhooks from "@countersign/core/api/webhooks"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OrganizationAccess } from "../Principal.ts"
import * as Host from "../AdminHost.ts"
import { cursor, limit, ofOrganization } from "./fields.ts"
import { groupOf } from "./endpoints.ts"
import { group, operation } from "./operation.ts"

const { String } = Schema

export const session = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("get", "/session", { success: Host.Session }).annotateMerge(
      operation("session.get", "Read who you are"),
    ),
    HttpApiEndpoint.get("list", "/sessions", { success: Host.LoginSessionList }).annotateMerge(
      operation(
        "session.list",
        "List the sessions of your login",
        "404 if the login keeps its sessions elsewhere.",
      ),
    ),
    HttpApiEndpoint.post("endAll", "/sessions/end", {
      success: HttpApiSchema.NoContent,
    }).annotateMerge(
      operation("session.endAll", "End all sessions of your login", "Also that of the request."),
    ),
  )
  .annotateMerge(group("Session", "Who makes the requests."))

export const host = HttpApiGroup.make("host")
  .add(
    HttpApiEndpoint.get("gateways", "/gateways", { success: Host.GatewayList }).annotateMerge(
      operation("host.gateways", "List gateways", "Their health is that on this node."),
    ),
    HttpApiEndpoint.get("unmatchedReports", "/reports/unmatched", {
      query: { cursor, limit },
      success: Host.UnmatchedReports,
    }).annotateMerge(
      operation(
        "host.unmatchedReports",
        "List reports on unknown messages",
        "They are kept for seven days.",
      ),
    ),
  )
  .annotateMerge(group("Host", "The gateways of the host."))

export const organizations = groupOf("organizations", Organizations.organizations).annotateMerge(
  group("Organizations", "Organizations and their settings."),
)

export const settings = groupOf("organization", Organizations.organizations)
  .middleware(OrganizationAccess)
  .annotateMerge(group("Organization", "The settings of an organization."))

export const apiKeys = groupOf("apiKeys", ApiKeys.apiKeys)
  .middleware(OrganizationAccess)
  .annotateMerge(group("API keys", "Keys of the HTTP interface."))

export const brands = groupOf("brands", Senders.brands)
  .middleware(OrganizationAccess)
  .annotateMerge(group("Senders", "The senders of messages."))

export const account = groupOf("account", { ...Account.account, ...Account.ledger })
  .add(
    HttpApiEndpoint.get("ledgerCsv", "/organizations/:organization/ledger.csv", {
      params: ofOrganization,
      query: Account.entryFilter,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
    }).annotateMerge(
      operation(
        { role: "read" },
        "Read the ledger as CSV",
        "In order. A period with more than 1,000,000 entries is refused.",
      ),
    ),
    HttpApiEndpoint.get("statementCsv", "/organizations/:organization/statement.csv", {
      params: ofOrganization,
      query: Fields.period,
      success: String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
    }).annotateMerge(operation({ role: "read" }, "Read a statement as CSV")),
  )
  .middleware(OrganizationAccess)
  .annotateMerge(group("Balance", "Money."))

export const webhooks = groupOf("webhooks", Webhooks.webhooks)
  .middleware(OrganizationAccess)
  .annotateMerge(group("Webhooks", "Addresses that receive events."))
