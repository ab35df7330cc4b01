/**
 * Actions on requests whose code was sent: send it again, cancel, consume, and read the state.
 */
import { Verifications } from "@countersign/core/services/Verifications"
import { callerOf, compare, type Of, resultOf } from "./results.ts"
import { requested } from "./playVerifications.ts"
import type { Real } from "./real.ts"
import type { Reference } from "./reference.ts"

export const resend = (action: Of<"resend">, reference: Reference, real: Real) => {
  const { channel, node } = action
  const { org, request, requestId } = requested(action, reference, real)
  const call = Verifications.use((verifications) =>
    resultOf(
      verifications.resend({ ...callerOf(real, org, action.key), requestId, channel }),
      ({ channel, expiresInSeconds, resendsRemaining }) =>
        `sent by ${channel}, expires in ${expiresInSeconds}, ${resendsRemaining} resends left`,
    ),
  )
  // The clock moves while a gateway does not answer. Of calls over WhatsApp, which are counted first, the later ones
  // find the cooldown or the maximum.
  const isOrdered =
    request !== undefined &&
    (request.person > 2 ||
      ((channel ?? request.channel) === "whatsapp" &&
        request.resends + 1 >= reference.config.resends))
  return compare(
    isOrdered ? 1 : action.count,
    () => reference.resend(action, org, request),
    (index) => real.untilDone(real.on(node + index, call)),
  )
}

export const cancel = (action: Of<"cancel">, reference: Reference, real: Real) => {
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

export const consume = (action: Of<"consume">, reference: Reference, real: Real) => {
  const { purpose } = action
  const { org, request, requestId } = requested(action, reference, real)
  const call = Verifications.use((verifications) =>
    resultOf(
      verifications.consume({ ...callerOf(real, org, action.key), requestId, purpose }),
      ({ consumedAt, verifiedAt }) => `consumed at ${consumedAt}, verified at ${verifiedAt}`,
    ),
  )
  return compare(
    action.count,
    () => reference.consume(action, org, request),
    (index) => real.on(action.node + index, call),
  )
}

export const status = (action: Of<"status">, reference: Reference, real: Real) => {
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
  return compare(
    1,
    () => reference.status(org, request),
    () => real.on(action.node, call),
  )
}
