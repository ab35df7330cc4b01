/** The texts of a code, what has to be known to write them again, and what the texts of gateways must not repeat. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { maskedCode, placeholderCode, Templates, textProblem } from "../../text/Templates.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import type { Payment } from "../../domain/verifications/Payment.ts"
import type { Verification } from "../../domain/verifications/Verification.ts"
import { Codes } from "../../engine/Codes.ts"
import * as Telemetry from "../../engine/Telemetry.ts"
import { newIds } from "../../engine/internal/newId.ts"
import { noText } from "../../engine/StoredAnswer.ts"
import type { NewCode, Delivery } from "./sending.ts"
import type { StoreUnavailable } from "../../domain/errors/Errors.ts"
import type { Message } from "../../domain/messages/Message.ts"
import type * as Redaction from "../../domain/messages/Redaction.ts"
import { Store } from "../../ports/Store.ts"

/** Reads the content of messages. The code of a request that has ended is unknown, and of no use. */
export const makeMessageContent = Effect.gen(function* () {
  const codes = yield* Codes
  const store = yield* Store

  return Effect.fnUntraced(function* (
    message: Message,
  ): Effect.fn.Return<Redaction.Content, StoreUnavailable> {
    const { id: token, organization, phoneNumber, requestId } = message
    const found =
      requestId === null ? undefined : yield* store.verification(organization, requestId)
    const sealed = found && (yield* openSeal(codes, organization, found.verification))
    if (sealed === undefined) {
      return { token, phoneNumber, text: Redacted.make(message.text, { label: "text" }) }
    }
    const { code } = sealed
    const text = message.text.replaceAll(maskedCode, Redacted.value(code))
    return { token, phoneNumber, text: Redacted.make(text, { label: "text" }), code }
  })
})

/** The values that the text of a code depends on, besides the code. */
export interface Wording {
  /** The requested sender. */
  readonly requestedSender: string | undefined
  readonly expirySeconds: number
  readonly locale: string
  readonly payment: Payment | undefined
}

/** The texts of a request: for the log, for the price, and for the gateway. */
export interface Texts {
  readonly masked: string
  readonly priced: string
  readonly sent: Redacted.Redacted<string>
}

/** The content of a seal: the code, the locale, the requested sender, and the payment. */
const Sealed = Schema.fromJsonString(
  Schema.Tuple([
    Schema.String,
    Schema.String,
    Schema.NullOr(Schema.String),
    Schema.NullOr(Schema.Struct({ amount: Schema.String, payee: Schema.String })),
  ]),
)
const decodeSealed = Schema.decodeUnknownOption(Sealed)

export const sealedOf = (
  { requestedSender, locale, payment }: Wording,
  code: Redacted.Redacted<string>,
): string =>
  JSON.stringify([Redacted.value(code), locale, requestedSender ?? null, payment ?? null])

/** The code and the wording of a request; `undefined` if it has ended, or its secret is no longer in use. */
export const openSeal = Effect.fnUntraced(function* (
  codes: Codes["Service"],
  organization: OrganizationId,
  { pepper, requestId, sealed }: Pick<Verification, "pepper" | "requestId" | "sealed">,
) {
  if (sealed === null) return undefined
  const opened = yield* codes.open({ organization, requestId }, pepper, sealed)
  const content = opened && decodeSealed(Redacted.value(opened))
  if (content === undefined || Option.isNone(content)) return undefined
  const [code, locale, requestedSender, payment] = content.value
  return {
    code: Redacted.make(code, { label: "code" }),
    requestedSender: requestedSender ?? undefined,
    locale,
    payment: payment ?? undefined,
  }
})

export const makeCodeTexts = Effect.gen(function* () {
  const codes = yield* Codes
  const random = yield* SecureRandom.SecureRandom
  const templates = yield* Templates

  /** Renders a text. The failure is the problem of the text. */
  const render = (delivery: Delivery & Wording, code: string): Result.Result<string, string> =>
    Result.try({
      try: () =>
        templates.render({
          organization: delivery.organization,
          locale: delivery.locale,
          channel: delivery.channel,
          code,
          expirySeconds: delivery.expirySeconds,
          senderName: delivery.sender.logChannel === "mask" ? delivery.sender.value : undefined,
          payment: delivery.payment,
        }),
      // The error may quote the code.
      catch: () => "must not throw",
    }).pipe(
      Result.flatMap((text) => {
        const problem = textProblem(text, code, delivery.payment)
        return problem === undefined ? Result.succeed(text) : Result.fail(problem)
      }),
    )

  /** Renders all texts of a message before anything is charged; `undefined` if one cannot be sent. */
  const textsOf = (
    delivery: Delivery & Wording,
    code: Redacted.Redacted<string>,
  ): Effect.Effect<Texts | undefined> => {
    const rendered = Result.all({
      masked: render(delivery, maskedCode),
      // Not the masked text: GSM-7 does not contain the mask, so the masked text would cost more.
      priced: render(delivery, placeholderCode(Redacted.value(code).length)),
      sent: Result.map(render(delivery, Redacted.value(code)), (text) =>
        Redacted.make(text, { label: "text" }),
      ),
    })
    if (Result.isSuccess(rendered)) return Effect.succeed(rendered.success)
    const { locale, organization } = delivery
    const problem = `the text ${rendered.failure}`
    return Effect.as(
      Telemetry.noteUnreadable("template", { organization, locale }, problem),
      undefined,
    )
  }

  /** Draws the parts of a new request. In one fiber, which takes half a microsecond. */
  const draw = (given: NewCode) =>
    Effect.flatMap(given.sending.code(given.codeLength), (code) =>
      Effect.flatMap(textsOf(given, code), (texts) => {
        if (texts === undefined) return Effect.fail(noText)
        return Effect.flatMap(newIds(random), (ids) => {
          const { organization, requestId = ids.requestId } = given
          const owner = { organization, requestId }
          return Effect.zipWith(
            codes.digest(owner, code),
            codes.seal(owner, sealedOf(given, code)),
            (digest, sealed) => ({ ...ids, requestId, code, texts, digest, sealed }),
          )
        })
      }),
    )

  return { draw, textsOf }
})
