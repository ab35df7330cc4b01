/**
 * The admin API: its endpoints below `/api` of the mount. They follow from the operations, except streams, files and
 * the session. Contains schemas only; `Admin` has the handlers.
 */
import { audit } from "@countersign/core/api/audit"
import { entryFilter, movementFilter } from "@countersign/core/api/account"
import { loggedEvent } from "@countersign/core/api/events"
import * as Fields from "@countersign/core/api/Fields"
import { details } from "@countersign/core/api/installation"
import { messages } from "@countersign/core/api/messages"
import { organizations } from "@countersign/core/api/organizations"
import { privacy } from "@countersign/core/api/privacy"
import { refusals } from "@countersign/core/api/refusals"
import { verifications } from "@countersign/core/api/verifications"
import { roleNames } from "@countersign/core/domain/access/Roles"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { described, groupOf, integerBetween, ofOrganization } from "./internal/endpoints.ts"
import { finish } from "./internal/openApi.ts"
import { groups, rows } from "./internal/rows.ts"
import { Authorization, EndpointAccess, OrganizationAccess } from "./Principal.ts"

const { Array, Boolean, String } = Schema

const { record, textOrNull, time } = Fields

const [money, read] = [{ right: "money" }, { right: "read" }] as const

/** The session of the principal that makes the requests. */
const sessionBody = record(
  "Session",
  "Who makes the requests, and what applies to every organization.",
  {
    actor: Schema.Struct({ id: String, name: textOrNull, origin: textOrNull }),
    roles: Array(Schema.Literals(roleNames)),
    organizations: Schema.NullOr(Array(String)).annotate({
      description: "The only organizations that the person sees. Null: all.",
    }),
    operations: Array(String).annotate({
      description: "The `operationId`s of the endpoints that the roles include.",
    }),
    masksNumbers: Boolean.annotate({
      description: "Whether answers have phone numbers with their middle masked.",
    }),
    clientAddress: textOrNull.annotate({
      description: "The address that the request comes from. Null: the mount does not know it.",
    }),
    hasLoginSessions: Boolean.annotate({
      description:
        "Whether the login keeps its sessions in the engine, so that they can be listed.",
    }),
    host: record("HostFacts", "", { ...details, production: Boolean, inboxUrl: textOrNull }),
  },
)

const loginSessions = record(
  "LoginSessionList",
  "The sessions of the reader, and to an operator those of all people with the same login.",
  {
    sessions: Array(
      Schema.Struct({
        id: String,
        startedAt: time,
        lastSeenAt: Fields.field(time, "Up to a minute early."),
        network: textOrNull.annotate({ description: "The network of the address at sign-in." }),
        agent: textOrNull.annotate({ description: "The browser." }),
        name: textOrNull.annotate({
          description: "Who has signed in. Null after a sign-in with a password.",
        }),
        roles: Array(Schema.Literals(roleNames)).annotate({
          description: "Empty after a sign-in with a password.",
        }),
        isCurrent: Boolean,
      }),
    ).annotate({ description: "Newest first." }),
  },
)

const session = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("get", "/session", {
      success: Schema.toCodecJson(sessionBody),
    }).annotateMerge(described(money, "Read who you are")),
    HttpApiEndpoint.get("list", "/sessions", {
      success: Schema.toCodecJson(loginSessions),
    }).annotateMerge(
      described(
        money,
        "List your sessions",
        "To an operator those of all people. 404 if the login keeps its sessions elsewhere.",
      ),
    ),
    HttpApiEndpoint.post("endAll", "/sessions/end", {
      success: HttpApiSchema.NoContent,
    }).annotateMerge(described(money, "End all your sessions", "Also that of the request.")),
    HttpApiEndpoint.post("end", "/sessions/:id/end", {
      params: { id: String.annotate({ description: "The `id` of the session in the list." }) },
      success: HttpApiSchema.NoContent,
    }).annotateMerge(
      described(money, "End a session", "One of the list. It ends on every node at once."),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: "Session", description: "Who makes the requests." }))

const csv = HttpApiSchema.StreamUint8Array({ contentType: "text/csv" })

const ledgerCsv = HttpApiEndpoint.get("ledgerCsv", "/organizations/:organization/ledger.csv", {
  params: ofOrganization,
  query: entryFilter,
  success: csv,
}).annotateMerge(
  described(
    money,
    "Read the ledger as CSV",
    "In order. A period with more than 1,000,000 entries is refused.",
  ),
)

const movementsCsv = HttpApiEndpoint.get(
  "movementsCsv",
  "/organizations/:organization/movements.csv",
  {
    params: ofOrganization,
    query: movementFilter,
    success: csv,
  },
).annotateMerge(
  described(
    read,
    "Read the transactions as CSV",
    "In order. A period with more than 1,000,000 entries is refused.",
  ),
)

const statementCsv = HttpApiEndpoint.get(
  "statementCsv",
  "/organizations/:organization/statement.csv",
  {
    params: ofOrganization,
    query: Fields.period,
    success: String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
  },
).annotateMerge(described(money, "Read a statement as CSV"))

const messagesCsv = HttpApiEndpoint.get("searchCsv", "/organizations/:organization/messages.csv", {
  params: ofOrganization,
  query: Struct.omit(messages.list.input.fields, ["organization", "cursor", "limit"]),
  success: csv,
}).annotateMerge(
  described(
    read,
    "Search messages as CSV",
    "Newest first, all pages; at most 1,000,000 messages. Codes in texts are masked.",
  ),
)

const verificationsCsv = HttpApiEndpoint.get(
  "searchCsv",
  "/organizations/:organization/verifications.csv",
  {
    params: ofOrganization,
    query: Struct.omit(verifications.list.input.fields, ["organization", "cursor", "limit"]),
    success: csv,
  },
).annotateMerge(
  described(
    read,
    "Search verifications as CSV",
    "Newest first, all pages; at most 1,000,000 requests. Codes are never in it.",
  ),
)

const auditCsv = HttpApiEndpoint.get("auditCsv", "/organizations/:organization/audit.csv", {
  params: ofOrganization,
  query: Struct.omit(audit.list.input.fields, ["organization", "before", "limit"]),
  success: csv,
}).annotateMerge(
  described(read, "Read the audit as CSV", "Newest first, all pages; at most 1,000,000 entries."),
)

const refusalsCsv = HttpApiEndpoint.get(
  "refusalsCsv",
  "/organizations/:organization/refusals.csv",
  {
    params: ofOrganization,
    query: Struct.omit(refusals.list.input.fields, ["organization", "cursor", "limit"]),
    success: csv,
  },
).annotateMerge(described(read, "List refused calls as CSV", "Newest first, all that are kept."))

const batchesCsv = HttpApiEndpoint.get("listCsv", "/organizations/:organization/batches.csv", {
  params: ofOrganization,
  success: csv,
}).annotateMerge(
  described(read, "List batches as CSV", "Newest first, all pages; at most 1,000,000 batches."),
)

const organizationsCsv = HttpApiEndpoint.get("listCsv", "/organizations.csv", {
  query: Struct.pick(organizations.list.input.fields, ["search"]),
  success: csv,
}).annotateMerge(
  described(
    money,
    "List organizations as CSV",
    "Ordered by id, all pages; at most 1,000,000 organizations. A person with organizations of their own gets these only.",
  ),
)

const sequence = Schema.optional(integerBetween(0, Number.MAX_SAFE_INTEGER))

const stream = HttpApiEndpoint.get("stream", "/organizations/:organization/events/stream", {
  params: ofOrganization,
  query: { after: sequence },
  headers: { "last-event-id": sequence },
  success: HttpApiSchema.StreamSse({ data: Schema.toCodecJson(loggedEvent) }),
}).annotateMerge(
  described(
    read,
    "Follow events",
    "Server-sent events, whose id is the sequence. Begins after `after`, or after the header `Last-Event-ID`; without both after the newest event.",
  ),
)

const exportNumber = HttpApiEndpoint.get("export", "/organizations/:organization/export", {
  params: ofOrganization,
  query: Struct.pick(privacy.erase.input.fields, ["phoneNumber"]),
  success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
}).annotateMerge(
  described({ right: "admin" }, "Export what is stored of a phone number", "JSON lines."),
)

/** The admin API. Paths are relative to `/api` of the mount. */
export const AdminApi = HttpApi.make("countersign-admin")
  .add(session)
  .add(groupOf("host", groups.host))
  .add(groupOf("organizations", groups.organizations).add(organizationsCsv))
  .add(groupOf("organization", groups.organization).middleware(OrganizationAccess))
  .add(groupOf("apiKeys", groups.apiKeys).middleware(OrganizationAccess))
  .add(groupOf("brands", groups.brands).middleware(OrganizationAccess))
  .add(
    groupOf("account", groups.account)
      .add(ledgerCsv, movementsCsv, statementCsv)
      .middleware(OrganizationAccess),
  )
  .add(groupOf("messages", groups.messages).add(messagesCsv).middleware(OrganizationAccess))
  .add(groupOf("optOuts", groups.optOuts).middleware(OrganizationAccess))
  .add(groupOf("batches", groups.batches).add(batchesCsv).middleware(OrganizationAccess))
  .add(
    groupOf("verifications", groups.verifications)
      .add(verificationsCsv)
      .middleware(OrganizationAccess),
  )
  .add(groupOf("fraud", groups.fraud).middleware(OrganizationAccess))
  .add(groupOf("events", groups.events).add(stream).middleware(OrganizationAccess))
  .add(groupOf("webhooks", groups.webhooks).middleware(OrganizationAccess))
  .add(groupOf("records", groups.records).add(auditCsv, refusalsCsv).middleware(OrganizationAccess))
  .add(groupOf("privacy", groups.privacy).add(exportNumber).middleware(OrganizationAccess))
  .middleware(Authorization)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Countersign admin",
      version: "1",
      description: "Everything that an operator, or a tenant of the host, does by hand.",
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      transform: finish,
    }),
  )

/** The access that each endpoint requires, by the name of the endpoint. */
export const accesses = Object.values(AdminApi.groups).flatMap(({ endpoints, identifier }) =>
  Object.values(endpoints).map(
    ({ annotations, identifier: name }) =>
      [`${identifier}.${name}`, Context.getUnsafe(annotations, EndpointAccess)] as const,
  ),
)

export { rows }
