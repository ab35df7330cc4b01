/** Handles the endpoints of the admin API, but those of events. */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { InvalidRequest } from "@countersign/core/domain/errors/Errors"
import { AdminSessions } from "@countersign/core/services/AdminSessions"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Batches } from "@countersign/core/services/Batches"
import { Messages } from "@countersign/core/services/Messages"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import * as Statement from "@countersign/core/domain/money/Statement"
import { Refusals } from "@countersign/core/engine/Refusals"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Audit } from "@countersign/core/services/Audit"
import { Senders } from "@countersign/core/services/Senders"
import { Fraud } from "@countersign/core/services/Fraud"
import { History } from "@countersign/core/services/History"
import { Installation } from "@countersign/core/services/Installation"
import { OptOuts } from "@countersign/core/services/OptOuts"
import { Outbox } from "@countersign/core/services/Outbox"
import { Organizations } from "@countersign/core/services/Organizations"
import { Privacy } from "@countersign/core/services/Privacy"
import { Reports } from "@countersign/core/services/Reports"
import { Totals } from "@countersign/core/services/Totals"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Masking from "@countersign/core/domain/values/Masking"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { CurrentAddress, CurrentPrincipal } from "../Principal.ts"
import { AdminApi } from "../AdminApi.ts"
import type { AdminOptions, LoginSession } from "../AdminOptions.ts"
import { answering, inOrganization, reasonOf, recordFirst } from "./calls.ts"
import { handlersOf } from "./endpoints.ts"
import { failure, notFound } from "./errorResponses.ts"
import { csv, exportOf, messagesCsv, streamed } from "./files.ts"
import { groups } from "./rows.ts"

export type HostOptions = Pick<AdminOptions, "inboxUrl" | "isProduction">

const session = ({ inboxUrl, isProduction = true }: HostOptions) =>
  HttpApiBuilder.group(
    AdminApi,
    "session",
    Effect.fnUntraced(function* (handlers) {
      const { details } = yield* Installation
      const sessions = yield* AdminSessions
      const host = { ...details, production: isProduction, inboxUrl: inboxUrl ?? null }
      /** Answers with what concerns the session of the reader. */
      const ofLogin = <A, R>(call: (session: LoginSession) => Effect.Effect<A, EngineError, R>) =>
        Effect.flatMap(CurrentPrincipal, ({ session }) =>
          session === undefined ? Effect.succeed(notFound) : answering(call(session)),
        )
      return handlers.handleAll({
        get: () =>
          Effect.zipWith(
            CurrentPrincipal,
            CurrentAddress,
            ({ actor, organization = null, roles, session }, clientAddress) => ({
              actor: { id: actor.id, origin: actor.origin ?? null },
              roles,
              organization,
              clientAddress: clientAddress ?? null,
              hasLoginSessions: session !== undefined,
              host,
            }),
          ),
        list: () =>
          ofLogin(({ id: current, login }) =>
            Effect.map(sessions.list(login), (found) => ({
              sessions: found.map(({ agent, id, network, seenAt, startedAt }) => ({
                id,
                startedAt,
                lastSeenAt: seenAt,
                network,
                agent,
                isCurrent: id === current,
              })),
            })),
          ),
        endAll: () => ofLogin(({ login }) => sessions.endAll(login)),
      })
    }),
  )

const host = HttpApiBuilder.group(
  AdminApi,
  "host",
  Effect.fnUntraced(function* (handlers) {
    const { gateways } = yield* Installation
    const { unmatched } = yield* Reports
    const methods = { list: () => gateways, unmatched }
    return handlers.handleAll(yield* handlersOf("host", groups.host, methods))
  }),
)

const organizations = HttpApiBuilder.group(
  AdminApi,
  "organizations",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Organizations
    const derived = yield* handlersOf("organizations", groups.organizations, service)
    return handlers.handleAll({
      ...derived,
      list: (request) =>
        Effect.flatMap(CurrentPrincipal, ({ organization }) =>
          organization === undefined
            ? derived.list(request)
            : answering(
                Effect.map(service.summary({ id: OrganizationId(organization) }), (own) => ({
                  organizations: [own],
                  next: undefined,
                })),
              ),
        ),
    })
  }),
)

/** Whether a tenant makes the request. */
const fromTenant = Effect.map(CurrentPrincipal, ({ organization }) => organization !== undefined)

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
    const methods = { ...service, ...queued, list: service.search, read }
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
    return handlers.handleAll(yield* handlersOf("batches", groups.batches, yield* Batches))
  }),
)

const verifications = HttpApiBuilder.group(
  AdminApi,
  "verifications",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Verifications
    const history = yield* History
    const methods = { ...service, list: service.search, history: history.verification }
    return handlers.handleAll(yield* handlersOf("verifications", groups.verifications, methods))
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
    const methods = {
      totals: (yield* Totals).read,
      audit: (yield* Audit).list,
      list: (yield* Refusals).list,
    }
    return handlers.handleAll(yield* handlersOf("records", groups.records, methods))
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
