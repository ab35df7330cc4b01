/**
 * The admin API: its endpoints below `/api` of the mount. They follow from the operations, except streams, files and
 * the session. Contains schemas only; `Admin` has the handlers.
 */
import { entryFilter } from "@countersign/core/api/account"
import { loggedEvent } from "@countersign/core/api/events"
import * as Fields from "@countersign/core/api/Fields"
import { details } from "@countersign/core/api/installation"
import { messages } from "@countersign/core/api/messages"
import { privacy } from "@countersign/core/api/privacy"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { roles } from "./AdminOptions.ts"
import { described, groupOf, integerBetween, ofOrganization } from "./internal/endpoints.ts"
import { finish } from "./internal/openApi.ts"
import { groups } from "./internal/rows.ts"
import { Authorization, OrganizationAccess } from "./Principal.ts"

const { Array, Boolean, String } = Schema

const { record, textOrNull, time } = Fields

const read = { role: "read" } as const

/** Who makes the requests. */
const sessionBody = record(
  "Session",
  "Who makes the requests, and what applies to every organization.",
  {
    actor: Schema.Struct({ id: String, origin: textOrNull }),
    roles: Array(Schema.Literals(roles)),
    organization: textOrNull.annotate({ description: "Null for an operator, who sees all." }),
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

const loginSessions = record("LoginSessionList", "The sessions of the login of the reader.", {
  sessions: Array(
    Schema.Struct({
      id: String,
      startedAt: time,
      lastSeenAt: Fields.field(time, "Up to a minute early."),
      network: textOrNull.annotate({ description: "The network of the address at sign-in." }),
      agent: textOrNull.annotate({ description: "The browser." }),
      isCurrent: Boolean,
    }),
  ).annotate({ description: "Newest first." }),
})

const session = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("get", "/session", {
      success: Schema.toCodecJson(sessionBody),
    }).annotateMerge(described(read, "Read who you are")),
    HttpApiEndpoint.get("list", "/sessions", {
      success: Schema.toCodecJson(loginSessions),
    }).annotateMerge(
      described(
        read,
        "List the sessions of your login",
        "404 if the login keeps its sessions elsewhere.",
      ),
    ),
    HttpApiEndpoint.post("endAll", "/sessions/end", {
      success: HttpApiSchema.NoContent,
    }).annotateMerge(
      described(read, "End all sessions of your login", "Also that of the request."),
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
    read,
    "Read the ledger as CSV",
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
).annotateMerge(described(read, "Read a statement as CSV"))

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
  described({ role: "admin" }, "Export what is stored of a phone number", "JSON lines."),
)

/** The admin API. Paths are relative to `/api` of the mount. */
export const AdminApi = HttpApi.make("countersign-admin")
  .add(session)
  .add(groupOf("host", groups.host))
  .add(groupOf("organizations", groups.organizations))
  .add(groupOf("organization", groups.organization).middleware(OrganizationAccess))
  .add(groupOf("apiKeys", groups.apiKeys).middleware(OrganizationAccess))
  .add(groupOf("brands", groups.brands).middleware(OrganizationAccess))
  .add(
    groupOf("account", groups.account).add(ledgerCsv, statementCsv).middleware(OrganizationAccess),
  )
  .add(groupOf("messages", groups.messages).add(messagesCsv).middleware(OrganizationAccess))
  .add(groupOf("optOuts", groups.optOuts).middleware(OrganizationAccess))
  .add(groupOf("batches", groups.batches).middleware(OrganizationAccess))
  .add(groupOf("verifications", groups.verifications).middleware(OrganizationAccess))
  .add(groupOf("fraud", groups.fraud).middleware(OrganizationAccess))
  .add(groupOf("events", groups.events).add(stream).middleware(OrganizationAccess))
  .add(groupOf("webhooks", groups.webhooks).middleware(OrganizationAccess))
  .add(groupOf("records", groups.records).middleware(OrganizationAccess))
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
