/** Handles the endpoints about messages, verifications, events, totals, the audit and phone numbers. */
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import { Actor } from "@countersign/core/domain/Actor"
import { type OrganizationId, RequestId } from "@countersign/core/domain/Ids"
import * as Money from "@countersign/core/domain/Money"
import * as Masking from "@countersign/core/domain/Masking"
import { Audit } from "@countersign/core/services/Audit"
import { Fraud } from "@countersign/core/services/Fraud"
import { History } from "@countersign/core/services/History"
import { Messages } from "@countersign/core/services/Messages"
import { Privacy } from "@countersign/core/services/Privacy"
import { Totals } from "@countersign/core/services/Totals"
import { Verifications } from "@countersign/core/services/Verifications"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AdminApi } from "../../AdminApi.ts"
import { exportOf } from "./exportOf.ts"
import { inOrganization } from "./inOrganization.ts"

/** The bounds of a search. */
const boundsOf = ({
  from,
  to,
}: {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}) => ({
  from: from?.getTime(),
  to: to?.getTime(),
})

/** Changes are made for the reason, which must not be empty. */
const withReason =
  (given: string) =>
  <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Input.field("reason", Input.id(given.trim())), (reason) =>
      Effect.updateService(change, Actor, (actor) => ({ ...actor, reason })),
    )

const messages = HttpApiBuilder.group(
  AdminApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Messages
    const history = yield* History
    const audit = yield* Audit
    return handlers.handleAll({
      search: ({ query }) =>
        inOrganization((organization) =>
          Effect.map(
            service.search({ ...query, ...boundsOf(query), organization }),
            ({ messages, next = null }) => ({ messages: messages.map(Codec.logEntry), next }),
          ),
        ),
      get: ({ params: { id } }) =>
        inOrganization(
          Effect.fnUntraced(function* (organization: OrganizationId) {
            const { sequence } = yield* service.get({ organization, id })
            return Codec.messageHistory(yield* history.message({ organization, sequence }))
          }),
        ),
      send: ({ payload }) =>
        inOrganization(
          Effect.fnUntraced(function* (organization: OrganizationId) {
            const sent = yield* service.send({ ...payload, organization })
            const { balance, channel, gatewayId, phoneNumber } = sent
            yield* audit.record({ organization, action: "message.sent", target: gatewayId })
            return { gatewayId, phoneNumber, channel, balance: Money.format(balance) }
          }),
        ),
    })
  }),
)

const verifications = HttpApiBuilder.group(
  AdminApi,
  "verifications",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Verifications
    const history = yield* History
    const audit = yield* Audit
    return handlers.handleAll({
      search: ({ query }) =>
        inOrganization((organization) =>
          Effect.map(
            service.search({ ...query, ...boundsOf(query), organization }),
            ({ next = null, verifications }) => ({
              verifications: verifications.map(Codec.verification),
              next,
            }),
          ),
        ),
      get: ({ params: { requestId } }) =>
        inOrganization((organization) =>
          Effect.map(
            history.verification({ organization, requestId: RequestId(requestId) }),
            Codec.verificationHistory,
          ),
        ),
      send: ({ payload: { metadata, ...input } }) =>
        inOrganization(
          Effect.fnUntraced(function* (organization: OrganizationId) {
            const { channel, expiresInSeconds, phoneNumber, requestId } = yield* service.send({
              ...input,
              organization,
              metadata: Input.metadata(metadata),
            })
            yield* audit.record({ organization, action: "verification.sent", target: requestId })
            return { requestId, phoneNumber, channel, expiresInSeconds }
          }),
        ),
      check: ({ params: { requestId }, payload }) =>
        inOrganization(
          Effect.fnUntraced(function* (organization: OrganizationId) {
            // Before the check, because a wrong code is recorded as well.
            yield* audit.record({ organization, action: "verification.checked", target: requestId })
            const code = Redacted.make(payload.code, { label: "code" })
            const checked = yield* service.check({ organization, requestId, code })
            const { isFirst, phoneNumber, verifiedAt } = checked
            return { requestId, phoneNumber, verifiedAt: Codec.date(verifiedAt), isFirst }
          }),
        ),
      resend: ({ params: { requestId }, payload }) =>
        inOrganization(
          Effect.fnUntraced(function* (organization: OrganizationId) {
            const { status: _, ...sent } = yield* service.resend({
              ...payload,
              organization,
              requestId,
            })
            yield* audit.record({ organization, action: "verification.resent", target: requestId })
            return sent
          }),
        ),
      cancel: ({ params: { requestId } }) =>
        inOrganization(
          Effect.fnUntraced(function* (organization: OrganizationId) {
            const cancelled = yield* service.cancel({ organization, requestId })
            const action = "verification.cancelled"
            yield* audit.record({ organization, action, target: requestId })
            return cancelled
          }),
        ),
      resetGuesses: ({ payload: { phoneNumber, reason } }) =>
        inOrganization((organization) =>
          service.resetGuesses({ organization, phoneNumber }).pipe(withReason(reason)),
        ),
    })
  }),
)

const fraud = HttpApiBuilder.group(
  AdminApi,
  "fraud",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Fraud
    return handlers.handleAll({
      findings: ({ query }) =>
        inOrganization((organization) =>
          Effect.map(service.findings(organization, query), (found) => ({
            findings: found.map(Codec.finding),
          })),
        ),
      trial: ({ payload }) =>
        inOrganization((organization) =>
          Effect.map(
            service.trial({ ...payload, ...boundsOf(payload), organization }),
            Codec.fraudTrial,
          ),
        ),
    })
  }),
)

const records = HttpApiBuilder.group(
  AdminApi,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const totals = yield* Totals
    const audit = yield* Audit
    return handlers.handleAll({
      totals: ({ query: { from, to, ...query } }) =>
        inOrganization((organization) =>
          Effect.map(
            totals.read({ ...query, organization, from: from.getTime(), to: to.getTime() }),
            (found) => ({ totals: found.map(Codec.total) }),
          ),
        ),
      audit: ({ query }) =>
        inOrganization((organization) =>
          Effect.map(audit.read({ ...query, organization }), (page) => ({
            ...page,
            entries: page.entries.map(Codec.auditEntry),
          })),
        ),
    })
  }),
)

const privacy = HttpApiBuilder.group(
  AdminApi,
  "privacy",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Privacy
    const audit = yield* Audit
    return handlers.handleAll({
      erase: ({ payload: { phoneNumber, reason } }) =>
        inOrganization((organization) =>
          service.erase({ organization, phoneNumber }).pipe(withReason(reason)),
        ),
      export: ({ query: { phoneNumber } }) =>
        inOrganization(
          Effect.fnUntraced(function* (organization: OrganizationId) {
            const records = yield* exportOf(service, { organization, phoneNumber })
            const target = Masking.words(phoneNumber)
            yield* audit.record({ organization, action: "number.exported", target })
            return records
          }),
        ),
    })
  }),
)

export const layer = Layer.mergeAll(messages, verifications, fraud, records, privacy)
