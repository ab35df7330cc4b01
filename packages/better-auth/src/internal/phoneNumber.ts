import type { GenericEndpointContext } from "better-auth"
import { fieldProblem, RateLimitedError, RequestNotFoundError } from "countersign"
import { bind, bound, unbind } from "./binding.ts"
import { checkArguments, clientOf, endsRequest, find, normalize } from "./common.ts"
import { refuse, refuseField, translating } from "./problems.ts"
import type { CommonOptions, Engine, PhoneNumberCallbacks } from "./types.ts"

type PhoneNumberPurpose = "login" | "password-reset"

/**
 * Requests of a browser for one number within an hour. Their ids are drawn together, because the cookie of a response
 * that is answered in the background cannot depend on what becomes of the send.
 */
const maxRequests = 5

/** The age of the cookie at most. */
const retryAfterSeconds = 60 * 60

/** Earlier versions compare the code of a reset with their own. */
const resetVersion = "1.7.8"

const asksAtReset = (version: string): boolean =>
  version.localeCompare(resetVersion, "en", { numeric: true }) >= 0

/** A code for a reset does not sign in, and the other way round. */
const purposeOf = ({ path }: GenericEndpointContext): PhoneNumberPurpose =>
  path === "/phone-number/reset-password" ? "password-reset" : "login"

const contextOf = (ctx: GenericEndpointContext | undefined): GenericEndpointContext => {
  if (ctx === undefined) throw new TypeError("better-auth has passed no context")
  return ctx
}

/**
 * Callbacks for the phone-number plugin of better-auth: `phoneNumber({ ...countersignPhoneNumber(engine) })`. The codes
 * come from `engine`; the plugin also stores a code of its own, which opens nothing.
 */
export const countersignPhoneNumber = (
  engine: Engine,
  options: CommonOptions = {},
): PhoneNumberCallbacks => {
  checkArguments(engine, options, ["country", "client"] satisfies ReadonlyArray<
    keyof CommonOptions
  >)
  const { verifications } = engine

  /** Sends with the first id that no request has, or sends the code of the request again that is open. */
  const send = async (
    ctx: GenericEndpointContext,
    purpose: PhoneNumberPurpose,
    phoneNumber: string,
    ids: ReadonlyArray<string>,
  ): Promise<void> => {
    const client = clientOf(ctx, options)
    for (const requestId of ids) {
      if ((await find(engine, requestId)) === undefined) {
        await verifications.send({ phoneNumber, purpose, requestId, client })
        return
      }
      try {
        await verifications.resend({ requestId, client })
        return
      } catch (error) {
        if (!endsRequest(error)) throw error
      }
    }
    throw new RateLimitedError({ reason: "rate", retryAfterSeconds })
  }

  /** Binds the browser before the first `await`, and sends. */
  const begin = (
    ctx: GenericEndpointContext,
    purpose: PhoneNumberPurpose,
    phoneNumber: string,
  ): Promise<void> => {
    const binding = bound(ctx, purpose)
    if (binding?.isOf(phoneNumber) === true) return send(ctx, purpose, phoneNumber, binding.ids)
    const ids = Array.from({ length: maxRequests }, verifications.newRequestId)
    bind(ctx, purpose, phoneNumber, ids)
    return send(ctx, purpose, phoneNumber, ids)
  }

  /** The last request that was used; ids are used in their order. */
  const newest = async (ids: ReadonlyArray<string>): Promise<string> => {
    let newest: string | undefined
    for (const requestId of ids) {
      if ((await find(engine, requestId)) === undefined) break
      newest = requestId
    }
    if (newest === undefined) throw new RequestNotFoundError()
    return newest
  }

  const verify = async (
    ctx: GenericEndpointContext,
    phoneNumber: string,
    code: string,
  ): Promise<boolean> => {
    const purpose = purposeOf(ctx)
    const binding = bound(ctx, purpose)
    if (binding === undefined) throw new RequestNotFoundError()
    if (!binding.isOf(phoneNumber)) return refuse("number_changed")
    const requestId = await newest(binding.ids)
    const client = clientOf(ctx, options)
    const verified = await verifications.verify({ requestId, code, purpose, client })
    unbind(ctx, purpose)
    // better-auth signs the number of the body in.
    return verified.phoneNumber === phoneNumber
  }

  const isCanonical = (phoneNumber: string): boolean =>
    normalize(phoneNumber, options) === phoneNumber

  return {
    phoneNumberValidator: isCanonical,

    sendOTP: async ({ phoneNumber }, context) => {
      if (!isCanonical(phoneNumber)) {
        // better-auth looks for users with the text of the body.
        return refuseField("phoneNumber", fieldProblem("not_e164", { plus: "required" }))
      }
      const ctx = contextOf(context)
      await translating(ctx, begin(ctx, "login", phoneNumber))
    },

    verifyOTP: ({ code, phoneNumber }, context) => {
      const ctx = contextOf(context)
      return translating(ctx, verify(ctx, phoneNumber, code))
    },

    sendPasswordResetOTP: async ({ phoneNumber }, context) => {
      const ctx = contextOf(context)
      const { logger, version } = ctx.context
      if (!asksAtReset(version)) {
        logger.error(
          `countersign: a password reset needs better-auth ${resetVersion}, and this is ${version}`,
        )
        return
      }
      // An answer with an error would tell a stranger that the number has an account.
      await translating(ctx, begin(ctx, "password-reset", phoneNumber)).catch((error: unknown) => {
        logger.error("countersign: no code for a password reset was sent", error)
      })
    },
  }
}
