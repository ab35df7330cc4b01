/** The calls of the engine behind the login, for one organization and one purpose. */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import { Limits } from "@countersign/core/domain/limits/Limits"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import { Access } from "@countersign/core/engine/Access"
import { TestNumbers } from "@countersign/core/engine/TestNumbers"
import {
  type VerificationStatus,
  Verifications,
} from "@countersign/core/services/verifications/Verifications"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Waiting } from "../LoginBodies.ts"
import type * as Bodies from "../LoginBodies.ts"
import type { Session } from "./sessions.ts"

/** A request, and what of it is not stored. */
type Known = Pick<Session, "codeLength" | "id">

/** The visitor who asks for a code, and the channel. */
interface Visitor {
  readonly client: string | undefined
  readonly channel?: (typeof Bodies.Start.Type)["channel"]
}

interface NewCode extends Visitor {
  readonly phoneNumber: PhoneNumber
  readonly locale: string | undefined
  readonly payment: (typeof Bodies.Choice.Type)["payment"]
  readonly metadata: string | undefined
}

const encodeWaiting = Schema.encodeSync(Schema.toCodecJson(Waiting))

const waitingOf = (status: VerificationStatus, { codeLength }: Known) =>
  encodeWaiting({
    status: "waiting",
    phoneNumber: status.phoneNumber,
    channel: status.channel,
    codeLength,
    expiresAt: status.expiresAt,
    resendAt: status.resendAt,
    resendsRemaining: status.resendsRemaining,
    attemptsRemaining: status.attemptsRemaining,
    now: status.now,
  })

/** The code was sent a moment ago, as by another tab. */
const isCooldown = (error: EngineError): boolean =>
  error._tag === "RateLimited" && error.reason === "cooldown"

/** The request has ended meanwhile, so its code is not sent again. */
const isOver = ({ _tag }: EngineError): boolean =>
  _tag === "AlreadyVerified" ||
  _tag === "AttemptsExhausted" ||
  _tag === "RequestExpired" ||
  _tag === "RequestNotFound" ||
  _tag === "ResendsExhausted"

/** The call may have taken effect, or the code may still arrive. */
export const isUncertain = (error: EngineError): boolean =>
  error._tag === "StoreUnavailable" ||
  (error._tag === "SendingFailed" && error.status === "unknown")

export const makeCodes = Effect.fnUntraced(function* (
  organization: OrganizationId,
  purpose: string,
) {
  const access = yield* Access
  const verifications = yield* Verifications
  const hostLimits = yield* Limits
  const testNumbers = yield* TestNumbers

  const requestOf = ({ id }: Known) => ({ organization, requestId: id })

  /** The state of a session that waits for its code; `undefined` once it does not. */
  const state = (session: Known) =>
    verifications.status(requestOf(session)).pipe(
      Effect.map((status) => (status.status === "pending" ? status : undefined)),
      Effect.catchTag("RequestNotFound", () => Effect.undefined),
    )

  const waiting = (session: Known) =>
    Effect.map(state(session), (status) => status && waitingOf(status, session))

  const resend = (session: Known, visitor: Visitor) =>
    verifications.resend({ ...requestOf(session), ...visitor })

  return {
    waiting,
    resend,

    /** Draws a new request: its id, and the length and the lifetime of its code. */
    draw: Effect.fnUntraced(function* (phoneNumber: PhoneNumber) {
      const limits = Organization.limitsOf(yield* access.confirm({ organization }), hostLimits)
      const test = testNumbers.find(phoneNumber)
      return {
        id: yield* verifications.newRequestId,
        codeLength:
          test === undefined ? limits.codeLength.default : Redacted.value(test.code).length,
        lifetime: Duration.seconds(limits.expirySeconds.default),
      }
    }),

    send: (requestId: string, code: NewCode) =>
      verifications.send({ organization, requestId, purpose, ...code }),

    /**
     * Sends the code of a pending session again once its cooldown is over. `undefined` if the session has ended, or its
     * code was sent again as often as it may be.
     */
    sendAgain: Effect.fnUntraced(function* (session: Known, visitor: Visitor) {
      const before = yield* state(session)
      if (before === undefined || before.resendsRemaining === 0) return undefined
      const { now, resendAt } = before
      if (resendAt === null || resendAt > now) return waitingOf(before, session)
      const isSent = yield* resend(session, visitor).pipe(
        Effect.as(true),
        Effect.catchIf(isCooldown, () => Effect.succeed(true)),
        Effect.catchIf(isOver, () => Effect.succeed(false)),
      )
      return isSent ? yield* waiting(session) : undefined
    }),

    /** Ends a session as far as it can be ended. */
    cancel: (session: Known) =>
      verifications.cancel(requestOf(session)).pipe(
        Effect.asVoid,
        Effect.catchTags({
          AlreadyVerified: () => Effect.void,
          RequestExpired: () => Effect.void,
          RequestNotFound: () => Effect.void,
        }),
      ),

    verify: (session: Known, code: Redacted.Redacted<string>, { client }: Visitor) =>
      verifications.verify({ ...requestOf(session), code, purpose, client }),
  }
})
