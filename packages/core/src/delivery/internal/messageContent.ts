/** The content of a message in the log, which the texts of its gateway must not repeat. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { StoreUnavailable } from "../../domain/errors/Errors.ts"
import type { Message } from "../../domain/messages/Message.ts"
import type * as Redaction from "../../domain/messages/Redaction.ts"
import { Store } from "../../ports/Store.ts"
import { maskedCode } from "../../text/Templates.ts"
import { Codes } from "../../engine/Codes.ts"
import { openSeal } from "./codeTexts.ts"

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
