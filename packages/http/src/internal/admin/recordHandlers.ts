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
import { reasonOf } from "./reasonOf.ts"
import { recordFirst } from "./recordFirst.ts"

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
    Effect.flatMap(reasonOf("reason", given), (reason) =>
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
        recordFirst(audit, "message.sent", Masking.words(payload.phoneNumber), (organization) =>
          Effect.map(
            service.send({ ...payload, organization }),
            ({ balance, channel, gatewayId, phoneNumber }) => ({
              gatewayId,
              phoneNumber,
              channel,
              balance: Money.format(balance),
            }),
          ),
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
        recordFirst(audit, "verification.sent", Masking.words(input.phoneNumber), (organization) =>
          Effect.map(
            service.send({ ...input, organization, metadata: Input.metadata(metadata) }),
            ({ channel, expiresInSeconds, phoneNumber, requestId }) => ({
              requestId,
              phoneNumber,
              channel,
              expiresInSeconds,
            }),
          ),
        ),
      check: ({ params: { requestId }, payload }) =>
        recordFirst(audit, "verification.checked", requestId, (organization) =>
          Effect.map(
            service.check({
              organization,
              requestId,
              code: Redacted.make(payload.code, { label: "code" }),
            }),
            ({ isFirst, phoneNumber, verifiedAt }) => ({
              requestId,
              phoneNumber,
              verifiedAt: Codec.date(verifiedAt),
              isFirst,
            }),
          ),
        ),
      resend: ({ params: { requestId }, payload }) =>
        recordFirst(audit, "verification.resent", requestId, (organization) =>
          Effect.map(
            service.resend({ ...payload, organization, requestId }),
            ({ status: _, ...sent }) => sent,
          ),
        ),
      cancel: ({ params: { requestId } }) =>
        recordFirst(audit, "verification.cancelled", requestId, (organization) =>
          service.cancel({ organization, requestId }),
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
          Effect.map(audit.read({ ...query, ...boundsOf(query), organization }), Codec.auditPage),
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
        recordFirst(audit, "number.exported", Masking.words(phoneNumber), (organization) =>
          exportOf(service, { organization, phoneNumber }),
        ),
    })
  }),
)

export const layer = Layer.mergeAll(messages, verifications, fraud, records, privacy)
