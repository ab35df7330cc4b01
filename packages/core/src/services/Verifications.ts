/**
 * Sends one-time codes and checks them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type AccessError, Access, type Caller } from "./Access.ts"
import * as Brand from "../domain/Brand.ts"
import { type Channel, channels } from "../domain/Channel.ts"
import { Codes, normalize } from "./Codes.ts"
import { Commits } from "./Commits.ts"
import type {
  AttemptsExhausted,
  InsufficientBalance,
  RateLimited,
  RequestExpired,
  SendingFailed,
  TooManyPending,
  WrongCode,
} from "../domain/Errors.ts"
import { type Details, InvalidRequest, NotOnWhatsApp, RequestNotFound } from "../domain/Errors.ts"
import * as Ids from "../domain/Ids.ts"
import { RequestId } from "../domain/Ids.ts"
import { makeCodeDelivery, type Prepared } from "./internal/codeDelivery.ts"
import { FieldProblems } from "./internal/fieldProblems.ts"
import type { Progress } from "./internal/progress.ts"
import { rulesInForce } from "./internal/rulesInForce.ts"
import { makeSending } from "./internal/sending.ts"
import type { StaleSettings } from "./internal/staleSettings.ts"
import { traced } from "./internal/traced.ts"
import {
  checked,
  type CheckedVerification,
  refused,
  statusOf,
  type VerificationStatus,
} from "./internal/verificationAnswers.ts"
import { Limits } from "../domain/Limits.ts"
import * as FieldProblem from "../domain/FieldProblem.ts"
import * as Organization from "../domain/Organization.ts"
import * as PhoneNumber from "../domain/PhoneNumber.ts"
import { Store } from "../ports/Store.ts"
import * as Telemetry from "./Telemetry.ts"
import { Templates } from "../text/Templates.ts"

export interface SendVerification extends Caller {
  /** E.164 with its plus; Bangla digits are read as ASCII ones. */
  readonly phoneNumber: string
  /** `sms` when left out, unless the host begins on WhatsApp. */
  readonly channel?: Channel | undefined
  /** Digits; 4 to 10, 6 when left out. */
  readonly codeLength?: number | undefined
  /** 60 to 3,600; 300 when left out. */
  readonly expirySeconds?: number | undefined
  /** `en-us` or `bn-bd`; the first when left out. */
  readonly locale?: string | undefined
  /** A brand id, an approved masking name, or a registered number; the channel's default when left out. */
  readonly brand?: string | undefined
  /** Fields that could not be read at all. The request is refused with these and with what else is wrong. */
  readonly unreadable?: Details | undefined
}

export interface SentVerification {
  readonly requestId: RequestId
  readonly to: PhoneNumber.PhoneNumber
  /** The one that was asked for, or SMS where the host falls back on it. */
  readonly channel: Channel
  readonly status: "pending"
  /** Seconds. */
  readonly expiresInSeconds: number
}

export interface CheckVerification extends Caller {
  readonly requestId: string
  /**
   * What the user has typed; 1 to 32 characters. White space and hyphens are removed, and Bangla digits are
   * read as ASCII digits, before the code is compared.
   */
  readonly code: Redacted.Redacted<string>
  /** Fields that could not be read at all. The request is refused with these and with what else is wrong. */
  readonly unreadable?: Details | undefined
}

export type { CheckedVerification, VerificationStatus } from "./internal/verificationAnswers.ts"

export type SendError =
  | InvalidRequest
  | RateLimited
  | TooManyPending
  | NotOnWhatsApp
  | InsufficientBalance
  | SendingFailed
  | AccessError

export type CheckError =
  | InvalidRequest
  | RateLimited
  | RequestNotFound
  | WrongCode
  | AttemptsExhausted
  | RequestExpired
  | AccessError

/** Longest code that a check accepts, in UTF-16 units. */
export const maxCodeInput = 32

export class Verifications extends Context.Service<
  Verifications,
  {
    /**
     * Sends a code. Succeeds as soon as the gateway has taken it, or may have
     * taken it; a code that was certainly not sent fails with `SendingFailed`
     * and costs nothing.
     */
    readonly send: (input: SendVerification) => Effect.Effect<SentVerification, SendError>
    /** Checks a code. Every wrong one costs an attempt, whatever it looks like. */
    readonly check: (input: CheckVerification) => Effect.Effect<CheckedVerification, CheckError>
    /** Looks at a request without touching it. */
    readonly status: (
      input: Caller & { readonly requestId: string },
    ) => Effect.Effect<VerificationStatus, RequestNotFound | AccessError>
  }
>()("@countersign/core/services/Verifications") {
  static readonly layer = Layer.effect(
    Verifications,
    Effect.gen(function* () {
      const access = yield* Access
      const codes = yield* Codes
      const commits = yield* Commits
      const delivery = yield* makeCodeDelivery
      const store = yield* Store
      const hostLimits = yield* Limits
      const numberPolicy = yield* PhoneNumber.NumberPolicy
      const sendingTo = yield* makeSending
      const rules = yield* rulesInForce
      const templates = yield* Templates

      /** SMS where none is named, unless the host begins on WhatsApp and the organization can. */
      const channelOf = (
        { brand, channel }: SendVerification,
        { brands }: Organization.Organization,
      ): Channel => {
        if (channel !== undefined) return channel
        return delivery.isWhatsAppFirst &&
          Result.isSuccess(Brand.resolve(brands, "whatsapp", brand))
          ? "whatsapp"
          : "sms"
      }

      const prepare = (
        input: SendVerification,
        organization: Organization.Organization,
        limits: Limits,
      ): Result.Result<Prepared, InvalidRequest> => {
        const problems = new FieldProblems(input.unreadable)
        const channel = channelOf(input, organization)
        const codeLength = input.codeLength ?? limits.codeLength.default
        const expirySeconds = input.expirySeconds ?? limits.expirySeconds.default
        const locale = input.locale ?? templates.defaultLocale
        const number = numberPolicy.parse(input.phoneNumber, "required")
        const sender = Brand.resolve(organization.brands, channel, input.brand)
        if (Result.isFailure(number)) problems.add("phoneNumber", number.failure)
        if (!channels.includes(channel))
          problems.add("channel", FieldProblem.make("unknown_channel", {}))
        else if (Result.isFailure(sender) && input.unreadable?.["channel"] === undefined) {
          problems.add("brand", sender.failure)
        }
        problems.integer("codeLength", codeLength, limits.codeLength)
        problems.integer("expirySeconds", expirySeconds, limits.expirySeconds)
        if (!templates.locales.includes(locale)) {
          problems.add(
            "locale",
            FieldProblem.make("unknown_option", { options: templates.locales }),
          )
        }
        const { error } = problems
        if (error !== undefined) return Result.fail(error)
        if (Result.isFailure(number) || Result.isFailure(sender)) return Result.fail(invalid)
        return Result.succeed({
          organization: organization.id,
          number: number.success,
          sending: sendingTo(number.success),
          sender: sender.success,
          brand: input.brand,
          channel,
          codeLength,
          expirySeconds,
          locale,
        })
      }

      /** Counts the request and asks the gateway, where the gateway can tell. */
      const admit = Effect.fnUntraced(function* (
        progress: Progress,
        prepared: Prepared,
        organization: Organization.Organization,
        limits: Limits,
      ) {
        const outcome = yield* commits.run({
          _tag: "AdmitVerification",
          organization: organization.id,
          version: organization.version,
          phoneNumber: prepared.number,
          sendLimit: limits.sendsPerNumber,
          pendingLimit: limits.pendingPerNumber,
        })
        if (outcome._tag !== "Admitted") return yield* refused(outcome, limits.pendingPerNumber)
        progress.counted = true
        const reachable = yield* prepared.sending.isReachable("whatsapp", prepared.number)
        progress.unreachable = reachable === "no"
      })

      /** Over WhatsApp to whoever is there, and to others by SMS where the host falls back on it. */
      const deliver = Effect.fnUntraced(function* (
        progress: Progress,
        prepared: Prepared,
        organization: Organization.Organization,
        limits: Limits,
      ) {
        const isMissed = progress.unreachable && prepared.channel === "whatsapp"
        const chosen = isMissed ? delivery.bySms(prepared, organization) : prepared
        if (chosen === undefined) return yield* new NotOnWhatsApp()
        const { channel, id } = yield* delivery.deliver(
          chosen,
          organization,
          limits,
          progress.counted,
        )
        const sent: SentVerification = {
          requestId: id,
          to: prepared.number,
          channel,
          status: "pending",
          expiresInSeconds: prepared.expirySeconds,
        }
        return sent
      })

      const sendFor = (
        input: SendVerification,
        organization: Organization.Organization,
        progress: Progress,
      ): Effect.Effect<SentVerification, SendError | StaleSettings> => {
        const allowed = Organization.limitsOf(organization, hostLimits)
        const result = prepare(input, organization, allowed)
        if (Result.isFailure(result)) return access.refuse(organization, result.failure)
        const prepared = result.success
        const limits = prepared.sending.limits(allowed)
        const isChecked = prepared.channel === "whatsapp" && prepared.sending.checksRecipients
        const delivered = deliver(progress, prepared, organization, limits)
        return Effect.andThen(
          Effect.annotateCurrentSpan({
            "countersign.number": PhoneNumber.mask(prepared.number),
            "countersign.channel": prepared.channel,
          }),
          isChecked && !progress.counted
            ? Effect.andThen(admit(progress, prepared, organization, limits), delivered)
            : delivered,
        )
      }

      const checkFor = Effect.fnUntraced(function* (
        input: CheckVerification,
        organization: Organization.Organization,
      ) {
        const problem = checkProblem(input)
        if (problem !== undefined) return yield* access.refuse(organization, problem)
        const requestId = requestIdOf(input)
        const owner = { organization: organization.id, request: requestId }
        const outcome = yield* commits.run({
          _tag: "CheckCode",
          organization: organization.id,
          version: organization.version,
          id: requestId,
          candidates: yield* codes.candidates(owner, typed(input)),
          limit: Organization.limitsOf(organization, hostLimits).checksPerOrganization,
          rules,
        })
        yield* Telemetry.countCheck(outcome._tag)
        return yield* checked(requestId, outcome)
      })

      return Verifications.of({
        send: (input) =>
          traced(
            "Verifications.send",
            { "countersign.organization": input.organization },
            Effect.suspend(() => {
              const progress: Progress = { counted: false, unreachable: false }
              return access.serve(input, (organization) => sendFor(input, organization, progress))
            }),
          ),
        check: (input) =>
          traced(
            "Verifications.check",
            { "countersign.organization": input.organization },
            access.serve(input, (organization) => checkFor(input, organization)),
          ),
        status: Effect.fn("Verifications.status")(function* (input) {
          yield* Effect.annotateCurrentSpan("countersign.organization", input.organization)
          yield* access.confirm(input)
          const id = requestIdOf(input)
          const found = yield* store.verification(input.organization, id)
          if (found === undefined) return yield* new RequestNotFound()
          return statusOf(found.verification, found.now)
        }),
      })
    }),
  )
}

/** The id that was asked for; text that no request can have becomes an id that none has. */
const requestIdOf = ({ requestId }: { readonly requestId: string }): RequestId =>
  RequestId(Ids.sortablePattern.test(requestId) ? requestId : "none")

const invalid = new InvalidRequest({ details: {} })

const checkProblem = (input: CheckVerification): InvalidRequest | undefined => {
  const problems = new FieldProblems(input.unreadable)
  const { length } = Redacted.value(input.code)
  if (length < 1 || length > maxCodeInput) {
    problems.add("code", FieldProblem.make("length_out_of_range", { min: 1, max: maxCodeInput }))
  }
  // Any other text is an id; that of no request, perhaps.
  if (input.requestId === "") problems.add("requestId", FieldProblem.make("empty", {}))
  return problems.error
}

const typed = ({ code }: CheckVerification): Redacted.Redacted<string> =>
  Redacted.make(normalize(Redacted.value(code)), { label: "code" })
