/** Handles the endpoints about messages, verifications, events, totals, the audit and phone numbers. */
import { audit } from "@countersign/core/api/audit"
import * as FraudRows from "@countersign/core/api/fraud"
import { refusals } from "@countersign/core/api/refusals"
import { totals } from "@countersign/core/api/totals"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import { Actor } from "@countersign/core/domain/values/Actor"
import { type OrganizationId, RequestId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as Masking from "@countersign/core/domain/values/Masking"
import { Audit } from "@countersign/core/services/Audit"
import { Fraud } from "@countersign/core/services/Fraud"
import { Host } from "@countersign/core/services/Installation"
import { History } from "@countersign/core/services/History"
import { Messages } from "@countersign/core/services/Messages"
import { Privacy } from "@countersign/core/services/Privacy"
import { Refusals } from "@countersign/core/engine/Refusals"
import { Totals } from "@countersign/core/services/Totals"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AdminApi } from "../AdminApi.ts"
import { csv, jsonLines } from "./download.ts"
import { exportOf } from "./exportOf.ts"
import { messagesCsv } from "./messagesCsv.ts"
import { handlersOf } from "./endpoints.ts"
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
    const { currency } = (yield* Host).facts
    const audit = yield* Audit
    return handlers.handleAll({
      search: ({ query }) =>
        inOrganization((organization) =>
          Effect.map(
            service.search({ ...query, ...boundsOf(query), organization }),
            ({ messages, next = null }) => ({ messages: messages.map(Codec.logEntry), next }),
          ),
        ),
      searchCsv: ({ query }) =>
        inOrganization((organization) =>
          Effect.map(
            messagesCsv(service, { ...query, ...boundsOf(query), organization }, currency),
            (lines) => HttpServerResponse.stream(lines, csv(organization, "messages")),
          ),
        ),
      get: ({ params: { id } }) =>
        inOrganization(
          Effect.fnUntraced(function* (organization: OrganizationId) {
            const { sequence } = /^[1-9]\d{0,14}$/.test(id)
              ? { sequence: Number(id) }
              : yield* service.get({ organization, id })
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
              verifications: verifications.map(Codec.listedVerification),
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
            ({ channel, expiresAt, phoneNumber, requestId }) => ({
              requestId,
              phoneNumber,
              channel,
              expiresAt: Codec.date(expiresAt),
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
            ({ expiresAt, expiresInSeconds: _, status: __, ...sent }) => ({
              ...sent,
              expiresAt: Codec.date(expiresAt),
            }),
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
    return handlers.handleAll(handlersOf("fraud", FraudRows.fraud, yield* Fraud))
  }),
)

const records = HttpApiBuilder.group(
  AdminApi,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const rows = { totals: totals.read, audit: audit.list, ...refusals }
    return handlers.handleAll(
      handlersOf("records", rows, {
        totals: (yield* Totals).read,
        audit: (yield* Audit).read,
        list: (yield* Refusals).list,
      }),
    )
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
          Effect.map(exportOf(service, { organization, phoneNumber }), (lines) =>
            HttpServerResponse.stream(lines, jsonLines(organization, "export")),
          ),
        ),
    })
  }),
)

export const layer = Layer.mergeAll(messages, verifications, fraud, records, privacy)
