/** Handles the endpoints of the admin API, except the endpoints of events. */
import { InvalidRequest } from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Batches } from "@countersign/core/services/Batches"
import { Messages } from "@countersign/core/services/Messages"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import * as Statement from "@countersign/core/domain/money/Statement"
import { Refusals } from "@countersign/core/engine/Refusals"
import { Accounts } from "@countersign/core/services/Accounts"
import { Alerts } from "@countersign/core/services/Alerts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Audit } from "@countersign/core/services/Audit"
import { Searches } from "@countersign/core/services/Searches"
import { Senders } from "@countersign/core/services/Senders"
import { Fraud } from "@countersign/core/services/Fraud"
import { Gateways } from "@countersign/core/services/Gateways"
import { History } from "@countersign/core/services/History"
import { Installation } from "@countersign/core/services/Installation"
import { OptOuts } from "@countersign/core/services/OptOuts"
import { Outbox } from "@countersign/core/services/Outbox"
import { Organizations } from "@countersign/core/services/Organizations"
import { Privacy } from "@countersign/core/services/Privacy"
import { Reports } from "@countersign/core/services/Reports"
import { Attention } from "@countersign/core/services/Attention"
import { Totals } from "@countersign/core/services/Totals"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Masking from "@countersign/core/domain/values/Masking"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CurrentAddress, CurrentPrincipal } from "../Principal.ts"
import { AdminApi } from "../AdminApi.ts"
import { organizationId } from "./authorization.ts"
import { answering, inOrganization, reasonOf, recordFirst } from "./calls.ts"
import { handlersOf } from "./endpoints.ts"
import { failure } from "./errorResponses.ts"
import {
  auditCsv,
  batchesCsv,
  csv,
  exportOf,
  messagesCsv,
  organizationsCsv,
  refusalsCsv,
  streamed,
  verificationsCsv,
} from "./files.ts"
import { groups } from "./rows.ts"
import { type HostOptions, session } from "./sessions.ts"

const host = HttpApiBuilder.group(
  AdminApi,
  "host",
  Effect.fnUntraced(function* (handlers) {
    const { gateways } = yield* Installation
    const { unmatched } = yield* Reports
    const { activity } = yield* Gateways
    const methods = { activity, list: () => gateways, unmatched }
    return handlers.handleAll(yield* handlersOf("host", groups.host, methods))
  }),
)

const organizations = HttpApiBuilder.group(
  AdminApi,
  "organizations",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Organizations
    const derived = yield* handlersOf("organizations", groups.organizations, service)
    /** A person may have an organization that does not exist, or not yet. */
    const summaryOf = (text: string) =>
      organizationId(text).pipe(
        Effect.flatMap((id) => service.summary({ id })),
        Effect.map(Option.some),
        Effect.catchTag("OrganizationNotFound", () => Effect.succeed(Option.none())),
      )
    /** The summaries of the only organizations that a person sees. */
    const summariesOf = (own: ReadonlyArray<string>) =>
      Effect.map(Effect.forEach(own, summaryOf), (found) =>
        found.flatMap((one) => Option.toArray(one)),
      )
    const { currency } = (yield* Installation).details
    return handlers.handleAll({
      ...derived,
      list: (request) =>
        Effect.flatMap(CurrentPrincipal, ({ organizations: own }) =>
          own === undefined
            ? derived.list(request)
            : answering(
                Effect.map(summariesOf(own), (found) => ({
                  organizations: found,
                  next: undefined,
                })),
              ),
        ),
      listCsv: ({ query }) =>
        Effect.flatMap(CurrentPrincipal, ({ organizations: own }) =>
          answering(
            organizationsCsv(
              ({ after, limit }) =>
                own === undefined
                  ? service.list({ ...query, after, limit })
                  : after === undefined
                    ? summariesOf(own)
                    : Effect.succeed([]),
              currency,
            ),
          ),
        ),
    })
  }),
)

/** Whether a tenant makes the request. */
const fromTenant = Effect.map(CurrentPrincipal, ({ organizations }) => organizations !== undefined)

/** A tenant could lift its own bounds with them. */
const operatorSettings = ["limits", "resetLimits", "allowedPrefixes"] as const

/** Fails if the allow list would refuse the address that the request comes from. */
const mustAdmit = Effect.fnUntraced(function* (allowList: ReadonlyArray<string> = []) {
  const address = yield* CurrentAddress
  if (address === undefined) return
  const settings = { ...Organization.defaultSettings, allowList }
  if (Organization.isAllowed({ settings }, address)) return
  const problem = FieldProblem.make("shuts_out", { address })
  return yield* new InvalidRequest({ details: { allowList: [problem] } })
})

const organization = HttpApiBuilder.group(
  AdminApi,
  "organization",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Organizations
    return handlers.handleAll({
      ...(yield* handlersOf("organization", groups.organization, service)),
      update: ({ payload: { admitsOwnAddress, ...changes } }) =>
        inOrganization(
          Effect.fnUntraced(function* (id: OrganizationId) {
            const isTenant = yield* fromTenant
            const denied = isTenant ? operatorSettings.filter((name) => name in changes) : []
            if (denied.length > 0) {
              return failure("forbidden", `Only operators may change ${denied.join(" and ")}`)
            }
            if (admitsOwnAddress === true) yield* mustAdmit(changes.allowList)
            return yield* service.update({ ...changes, id })
          }),
        ),
    })
  }),
)

const apiKeys = HttpApiBuilder.group(
  AdminApi,
  "apiKeys",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll(yield* handlersOf("apiKeys", groups.apiKeys, yield* ApiKeys))
  }),
)

const brands = HttpApiBuilder.group(
  AdminApi,
  "brands",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Senders
    /** Only operators approve. */
    const save: (typeof service)["save"] = (sender) =>
      Effect.flatMap(fromTenant, (isTenant) =>
        service.save(isTenant ? { ...sender, status: "pending" } : sender),
      )
    const methods = { ...service, save, create: save }
    return handlers.handleAll(yield* handlersOf("brands", groups.brands, methods))
  }),
)

const account = HttpApiBuilder.group(
  AdminApi,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Accounts
    /** Over HTTP, money needs a reason. */
    const withNote =
      <I extends { readonly note?: string | undefined }, A, E>(
        book: (input: I) => Effect.Effect<A, E>,
      ) =>
      (input: I) =>
        Effect.andThen(reasonOf("note", input.note ?? ""), book(input))
    const methods = {
      ...service,
      topUp: withNote(service.topUp),
      adjust: withNote(service.adjust),
    }
    return handlers.handleAll({
      ...(yield* handlersOf("account", groups.account, methods)),
      ledgerCsv: ({ query: { from = 0, kinds, to = Number.MAX_SAFE_INTEGER } }) =>
        inOrganization((organization) =>
          Effect.map(service.entriesCsv({ organization, kinds, from, to }), (parts) =>
            streamed(parts, csv(organization, "ledger")),
          ),
        ),
      movementsCsv: ({ query: { from = 0, kinds, to = Number.MAX_SAFE_INTEGER } }) =>
        inOrganization((organization) =>
          Effect.map(service.movementsCsv({ organization, kinds, from, to }), (parts) =>
            streamed(parts, csv(organization, "movements")),
          ),
        ),
      statementCsv: ({ query }) =>
        inOrganization((organization) =>
          // Contains no free text, so no cell can be a formula.
          Effect.map(service.statement({ ...query, organization }), (found) =>
            HttpServerResponse.text(
              Statement.toCsv(found, found.currency),
              csv(organization, "statement"),
            ),
          ),
        ),
    })
  }),
)

const messages = HttpApiBuilder.group(
  AdminApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Messages
    const history = yield* History
    const { currency } = (yield* Installation).details
    const read = Effect.fnUntraced(function* (asked: typeof groups.messages.rows.read.input.Type) {
      const { id, organization } = asked
      const { sequence } = /^[1-9]\d{0,14}$/.test(id)
        ? { sequence: Number(id) }
        : yield* service.get({ organization, id })
      return yield* history.message({ organization, sequence })
    })
    const outbox = yield* Outbox
    const { cancel, get: getQueued, list: listQueued, reschedule } = outbox
    const queued = { cancel, getQueued, listQueued, reschedule }
    const { testGateway } = yield* Gateways
    const methods = { ...service, ...queued, list: service.search, read, testGateway }
    return handlers.handleAll({
      ...(yield* handlersOf("messages", groups.messages, methods)),
      searchCsv: ({ query }) =>
        inOrganization((organization) =>
          messagesCsv(service, { ...query, organization }, currency),
        ),
    })
  }),
)

const batches = HttpApiBuilder.group(
  AdminApi,
  "batches",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Batches
    const { currency } = (yield* Installation).details
    return handlers.handleAll({
      ...(yield* handlersOf("batches", groups.batches, service)),
      listCsv: () => inOrganization((organization) => batchesCsv(service, organization, currency)),
    })
  }),
)

const verifications = HttpApiBuilder.group(
  AdminApi,
  "verifications",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Verifications
    const history = yield* History
    const methods = { ...service, list: service.search, history: history.verification }
    return handlers.handleAll({
      ...(yield* handlersOf("verifications", groups.verifications, methods)),
      searchCsv: ({ query }) =>
        inOrganization((organization) => verificationsCsv(service, { ...query, organization })),
    })
  }),
)

const optOuts = HttpApiBuilder.group(
  AdminApi,
  "optOuts",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll(yield* handlersOf("optOuts", groups.optOuts, yield* OptOuts))
  }),
)

const fraud = HttpApiBuilder.group(
  AdminApi,
  "fraud",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll(yield* handlersOf("fraud", groups.fraud, yield* Fraud))
  }),
)

const webhooks = HttpApiBuilder.group(
  AdminApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll(yield* handlersOf("webhooks", groups.webhooks, yield* Webhooks))
  }),
)

const records = HttpApiBuilder.group(
  AdminApi,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const audit = yield* Audit
    const refusals = yield* Refusals
    const methods = {
      attention: (yield* Attention).read,
      totals: (yield* Totals).read,
      audit: audit.list,
      alerts: (yield* Alerts).list,
      list: refusals.list,
      find: (yield* Searches).find,
    }
    return handlers.handleAll({
      ...(yield* handlersOf("records", groups.records, methods)),
      auditCsv: ({ query }) =>
        inOrganization((organization) => auditCsv(audit, { ...query, organization })),
      refusalsCsv: ({ query }) =>
        inOrganization((organization) => refusalsCsv(refusals, { ...query, organization })),
    })
  }),
)

const privacy = HttpApiBuilder.group(
  AdminApi,
  "privacy",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Privacy
    const recorded = yield* recordFirst
    return handlers.handleAll({
      ...(yield* handlersOf("privacy", groups.privacy, service)),
      export: ({ query: { phoneNumber } }) =>
        inOrganization((organization) =>
          recorded(
            organization,
            "number.exported",
            Masking.words(phoneNumber),
            exportOf(service, { organization, phoneNumber }),
          ),
        ),
    })
  }),
)

export const layer = (options: HostOptions) =>
  Layer.mergeAll(
    session(options),
    host,
    organizations,
    organization,
    apiKeys,
    brands,
    account,
    messages,
    optOuts,
    batches,
    verifications,
    fraud,
    webhooks,
    records,
    privacy,
  )
