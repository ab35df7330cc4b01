/**
 * Actions on requests whose code was sent: send it again, cancel, consume, verify, and read the state.
 */
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Redacted from "effect/Redacted"
import { answerOf, callerOf, compare, compareOne, resultOf } from "./results.ts"
import { keyed } from "./playRetries.ts"
import { clientOf, drawnClient, requested } from "./playVerifications.ts"
import type { Real } from "./real.ts"
import { typed } from "./typedCodes.ts"
import type { Reference } from "./reference.ts"
import type { Action } from "./scenario.ts"

export const resend = (drawn: Action<"resend">, reference: Reference, real: Real) => {
  const { channel, key, node, tag } = drawn
  const { org, request, requestId } = requested(drawn, reference, real)
  const action = { ...drawn, client: drawnClient(drawn, reference.org(org), request) }
  const given = (isOther: boolean): typeof action =>
    isOther ? { ...action, channel: channel === "sms" ? "whatsapp" : "sms" } : action
  const call = (isOther: boolean, idempotencyKey: string) =>
    Verifications.use((verifications) =>
      answerOf(
        verifications.resend({
          idempotencyKey,
          ...callerOf(real, org, key),
          requestId,
          channel: given(isOther).channel,
          client: clientOf(action.client),
        }),
        ({ channel, expiresInSeconds, resendsRemaining }) =>
          `sent by ${channel}, expires in ${expiresInSeconds}, ${resendsRemaining} resends left`,
      ),
    )
  // The clock moves while a gateway does not answer. Of calls over WhatsApp, which are counted first, the later ones
  // find the cooldown or the maximum.
  const { cooldownMillis, resends } = reference.config
  const isOrdered =
    request !== undefined &&
    (request.person > 2 ||
      ((channel ?? request.channel) === "whatsapp" &&
        (cooldownMillis === 0 || request.resends + 1 >= resends)))
  const count = isOrdered ? 1 : action.count
  const expect = (isOther: boolean) => reference.resend(given(isOther), org, request)
  return keyed({ tag, org, key, node, request, call, expect }, count, reference, real)
}

export const cancel = (action: Action<"cancel">, reference: Reference, real: Real) => {
  const { org, request, requestId } = requested(action, reference, real)
  const call = Verifications.use((verifications) =>
    resultOf(
      verifications.cancel({ ...callerOf(real, org, action.key), requestId }),
      () => "cancelled",
    ),
  )
  return compare(
    action.count,
    () => reference.cancel(action, org, request),
    (index) => real.on(action.node + index, call),
  )
}

export const consume = (action: Action<"consume">, reference: Reference, real: Real) => {
  const { count, key, node, tag } = action
  const { org, request, requestId } = requested(action, reference, real)
  const other = action.purpose === "login" ? ("payment" as const) : ("login" as const)
  const given = (isOther: boolean) => (isOther ? { ...action, purpose: other } : action)
  const call = (isOther: boolean, idempotencyKey: string) =>
    Verifications.use((verifications) =>
      answerOf(
        verifications.consume({
          idempotencyKey,
          ...callerOf(real, org, key),
          requestId,
          purpose: given(isOther).purpose,
        }),
        ({ consumedAt, verifiedAt }) => `consumed at ${consumedAt}, verified at ${verifiedAt}`,
      ),
    )
  const expect = (isOther: boolean) => reference.consume(given(isOther), org, request)
  return keyed({ tag, org, key, node, request, call, expect }, count, reference, real)
}

export const verifyCode = (drawn: Action<"verifyCode">, reference: Reference, real: Real) => {
  const { code, count, key, node, purpose, tag } = drawn
  const { code: sent, org, request, requestId } = requested(drawn, reference, real)
  const action = { ...drawn, client: drawnClient(drawn, reference.org(org), request) }
  const other = code === "letters" ? ("right" as const) : ("letters" as const)
  const given = (isOther: boolean) => (isOther ? { ...action, code: other } : action)
  const call = (isOther: boolean, idempotencyKey: string) =>
    Verifications.use((verifications) =>
      answerOf(
        verifications.verify({
          idempotencyKey,
          ...callerOf(real, org, key),
          requestId,
          purpose,
          code: Redacted.make(typed(given(isOther).code, sent)),
          client: clientOf(action.client),
        }),
        ({ consumedAt, verifiedAt }) => `consumed at ${consumedAt}, verified at ${verifiedAt}`,
      ),
    )
  const expect = (isOther: boolean) => reference.verifyCode(given(isOther), org, request)
  return keyed({ tag, org, key, node, request, call, expect }, count, reference, real)
}

export const status = (action: Action<"status">, reference: Reference, real: Real) => {
  const { org, request, requestId } = requested(action, reference, real)
  const call = Verifications.use((verifications) =>
    resultOf(verifications.status({ ...callerOf(real, org, undefined), requestId }), (found) =>
      [
        `${found.status} by ${found.channel}, ${found.attemptsRemaining} left, verified at ${found.verifiedAt}`,
        `consumed at ${found.consumedAt}, for ${found.purpose}, ${found.resendsRemaining} resends`,
        `at ${found.resendAt}`,
        ...found.messages.map(({ sequence, status }) => `${sequence} ${status}`),
      ].join("\n"),
    ),
  )
  return compareOne(() => reference.status(org, request), real.on(action.node, call))
}
