import * as Codec from "./results.ts"
import type { Page } from "@countersign/core/api/Page"
import type { ListedVerification } from "@countersign/core/api/PlainTypes"
import { showing } from "@countersign/core/api/Operation"
import { verifications } from "@countersign/core/api/verifications"
import * as Input from "./inputReaders.ts"
import type {
  ListVerifications,
  SentVerification,
  VerifiedNumber,
} from "@countersign/core/api/types/verifications"
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { Payment } from "@countersign/core/domain/verifications/Payment"
import type { FieldProblem } from "@countersign/core/domain/values/FieldProblem"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import { History } from "@countersign/core/services/History"
import {
  type ConsumedVerification,
  type SentVerification as SentCode,
  Verifications,
} from "@countersign/core/services/verifications/Verifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Services from "../types/services.ts"
import { later, method, nested, parsed, served } from "./method.ts"
import { pages } from "./pages.ts"
import type { Methods } from "./scope.ts"

const code: Fields.Reader<Redacted.Redacted> = (value) => {
  const read = Fields.text(value)
  return typeof read === "string" ? Redacted.make(read, { label: "code" }) : read
}

export const make = (
  context: Context.Context<Verifications | History>,
): Methods<Services.OrganizationServices["verifications"]> => {
  const service = Context.get(context, Verifications)
  const history = Context.get(context, History)
  return {
    newRequestId: () => () => Effect.runSyncWith(context)(service.newRequestId),
    send: served(
      {
        phoneNumber: Fields.text,
        channel: later<Channel | undefined>(),
        codeLength: later<number | undefined>(),
        expiresIn: Input.optionalDuration,
        locale: later<string | undefined>(),
        sender: Input.optionalText,
        client: Input.optionalText,
        purpose: Input.optionalText,
        metadata: Input.metadata,
        payment: nested<Payment, ReturnType<typeof Input.payment>>(
          { amount: "a text", payee: "a text" },
          Input.payment,
        ),
        requestId: Input.optionalText,
        idempotencyKey: Input.optionalText,
      },
      service.send,
      sentOf,
    ),
    resend: parsed(
      {
        requestId: Fields.text,
        channel: later<Channel | undefined>(),
        client: Input.optionalText,
        idempotencyKey: Input.optionalText,
      },
      function* (input) {
        return sentOf(yield* service.resend(input))
      },
    ),
    cancel: parsed({ requestId: Fields.text }, function* (input) {
      const { requestId } = yield* service.cancel(input)
      const { organization } = input
      const { messages: _, ...found } = yield* service.status({ organization, requestId })
      return failedOf({ ...found, status: "failed", reason: found.failure ?? "cancelled" })
    }),
    consume: parsed(
      {
        requestId: Fields.text,
        purpose: Input.optionalText,
        audience: Input.optionalText,
        idempotencyKey: Input.optionalText,
      },
      function* (input) {
        return verifiedNumber(yield* service.consume(ofPurpose(input)))
      },
    ),
    verify: served(
      {
        requestId: Fields.text,
        code,
        purpose: Input.optionalText,
        client: Input.optionalText,
        audience: Input.optionalText,
        idempotencyKey: Input.optionalText,
      },
      service.verify,
      verifiedNumber,
    ),
    check: served(
      {
        requestId: Input.optionalText,
        phoneNumber: Input.optionalText,
        purpose: Input.optionalText,
        code,
        client: Input.optionalText,
      },
      (input) => service.check(ofPurpose(input)),
      ({ isFirst, requestId, phoneNumber, verifiedAt }) => ({
        requestId,
        phoneNumber,
        verifiedAt: new Date(verifiedAt),
        isFirst,
      }),
    ),
    resetGuesses: parsed({ phoneNumber: Fields.text }, function* (input) {
      yield* service.resetGuesses(input)
    }),
    get: method({ requestId: Fields.text }, function* (input) {
      const { messages: _, ...found } = yield* service.status(input)
      return Codec.verification(found)
    }),
    history: method({ requestId: Fields.text }, function* (input) {
      return Codec.verificationHistory(yield* history.verification(input))
    }),
    list: pages(
      parsed<ListVerifications | undefined, typeof list, Page<ListedVerification>>(
        list,
        function* (input) {
          const { next = null, verifications } = yield* service.search(input)
          const items = verifications.map(({ delivery, ...one }) => ({
            ...Codec.verification(one),
            delivery,
          }))
          return { items, next }
        },
      ),
    ),
  }
}

const list = {
  ...Input.search,
  statuses: Input.verificationStates,
}

/** Without a purpose, only requests without one are found. */
const ofPurpose = <A extends { readonly purpose: string | FieldProblem | undefined }>(
  input: A,
) => ({
  ...input,
  purpose: input.purpose ?? null,
})

const failedOf = showing(verifications.cancel)

const sentOf = (sent: SentCode): SentVerification => ({
  requestId: sent.requestId,
  phoneNumber: sent.phoneNumber,
  channel: sent.channel,
  expiresAt: new Date(sent.expiresAt),
  resendAt: sent.resendAt === null ? null : new Date(sent.resendAt),
  resendsRemaining: sent.resendsRemaining,
})

const verifiedNumber = (found: ConsumedVerification): VerifiedNumber => ({
  requestId: found.requestId,
  phoneNumber: found.phoneNumber,
  purpose: found.purpose,
  metadata: found.metadata === null ? null : Codec.metadata(found.metadata),
  verifiedAt: new Date(found.verifiedAt),
  consumedAt: new Date(found.consumedAt),
  proof: found.proof === undefined ? null : Redacted.value(found.proof),
})
