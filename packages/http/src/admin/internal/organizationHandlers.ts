/** Handles the endpoints about organizations, their keys, senders, money and webhooks. */
import * as AccountRows from "@countersign/core/api/account"
import * as ApiKeyRows from "@countersign/core/api/apiKeys"
import * as Rows from "@countersign/core/api/organizations"
import * as SenderRows from "@countersign/core/api/senders"
import * as WebhookRows from "@countersign/core/api/webhooks"
import { InvalidRequest } from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { OrganizationId, WebhookId } from "@countersign/core/domain/values/Ids"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import * as Statement from "@countersign/core/domain/money/Statement"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Audit } from "@countersign/core/services/Audit"
import { Senders } from "@countersign/core/services/Senders"
import { Organizations } from "@countersign/core/services/Organizations"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { CurrentAddress, CurrentPrincipal } from "../Principal.ts"
import { AdminApi } from "../AdminApi.ts"
import { csv } from "./download.ts"
import { handlersOf } from "./endpoints.ts"
import { inOrganization } from "./inOrganization.ts"
import { reasonOf } from "./reasonOf.ts"
import { recordFirst } from "./recordFirst.ts"
import { answering, failure } from "./errorResponses.ts"

const organizations = HttpApiBuilder.group(
  AdminApi,
  "organizations",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Organizations
    const derived = handlersOf("organizations", Rows.organizations, service)
    return handlers.handleAll({
      ...derived,
      list: (request) =>
        Effect.flatMap(CurrentPrincipal, ({ organization }) =>
          organization === undefined
            ? derived.list(request)
            : answering(
                Effect.map(service.summary({ id: OrganizationId(organization) }), (own) => ({
                  organizations: [own],
                  next: null,
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
const mustAdmit = Effect.fnUntraced(function* ({
  allowList = [],
}: {
  readonly allowList?: ReadonlyArray<string> | undefined
}) {
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
      ...handlersOf("organization", Rows.organizations, service),
      update: ({ payload: { admitsOwnAddress, ...changes } }) =>
        inOrganization(
          Effect.fnUntraced(function* (id: OrganizationId) {
            const isTenant = yield* fromTenant
            const denied = isTenant ? operatorSettings.filter((name) => name in changes) : []
            if (denied.length > 0) {
              return failure("forbidden", `Only operators may change ${denied.join(" and ")}`)
            }
            if (admitsOwnAddress === true) yield* mustAdmit(changes)
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
    return handlers.handleAll(handlersOf("apiKeys", ApiKeyRows.apiKeys, yield* ApiKeys))
  }),
)

const brands = HttpApiBuilder.group(
  AdminApi,
  "brands",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Senders
    /** Only operators approve. */
    const save: (typeof service)["save"] = (brand) =>
      Effect.flatMap(fromTenant, (isTenant) =>
        service.save(isTenant ? { ...brand, status: "pending" } : brand),
      )
    const methods = { ...service, save, create: save }
    return handlers.handleAll(handlersOf("brands", SenderRows.brands, methods))
  }),
)

const account = HttpApiBuilder.group(
  AdminApi,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Accounts
    const methods = { ...service, statementCsv: service.statement }
    /** Over HTTP, money needs a reason. */
    const withNote =
      <I extends { readonly note?: string | undefined }, A, E>(
        book: (input: I) => Effect.Effect<A, E>,
      ) =>
      (input: I) =>
        Effect.andThen(reasonOf("note", input.note ?? ""), book(input))
    const rows = { ...AccountRows.account, ...AccountRows.ledger }
    return handlers.handleAll({
      ...handlersOf("account", rows, {
        ...methods,
        topUp: withNote(service.topUp),
        adjust: withNote(service.adjust),
      }),
      ledgerCsv: ({ query: { from = 0, kinds, to = Number.MAX_SAFE_INTEGER } }) =>
        inOrganization((organization) =>
          Effect.map(service.entriesCsv({ organization, kinds, from, to }), (parts) =>
            HttpServerResponse.stream(
              // An error after the beginning breaks the answer off.
              Stream.encodeText(Stream.orDie(parts)),
              csv(organization, "ledger"),
            ),
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

const webhooks = HttpApiBuilder.group(
  AdminApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Webhooks
    const audit = yield* Audit
    return handlers.handleAll({
      ...handlersOf("webhooks", WebhookRows.webhooks, service),
      test: ({ params: { id } }) =>
        recordFirst(audit, "webhook.tested", id, (organization) =>
          service.sendTest({ organization, id: WebhookId(id) }),
        ),
    })
  }),
)

export const layer = Layer.mergeAll(organizations, organization, apiKeys, brands, account, webhooks)
