/**
 * Sends one-time codes and checks them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type AccessError, Access, type Caller, type Parsed } from "./Access.ts"
import * as Brand from "../domain/Brand.ts"
import { type Channel, channels } from "../domain/Channel.ts"
import { Codes, normalize } from "./Codes.ts"
import { Commits, type StaleSettings } from "./Commits.ts"
import {
  AttemptsExhausted,
  type InsufficientBalance,
  InvalidRequest,
  NotOnWhatsApp,
  RateLimited,
  RequestExpired,
  RequestNotFound,
  type SendingFailed,
  type TooManyPending,
  WrongCode,
} from "../domain/Errors.ts"
import * as Ids from "../domain/Ids.ts"
import { rulesInForce } from "./Fraud.ts"
import type * as Inputs from "./Inputs.ts"
import { type CodeDelivery, makeCodeDelivery } from "./internal/codeDelivery.ts"
import { FieldProblems } from "./internal/fieldProblems.ts"
import { refusedVerification } from "./internal/refusals.ts"
import { admit, makeSending, newProgress, type Progress } from "./internal/sending.ts"
import { traced } from "./internal/traced.ts"
import type { OwnResult } from "../decide/Command.ts"
import { Limits } from "../domain/Limits.ts"
import * as FieldProblem from "../domain/FieldProblem.ts"
import * as Organization from "../domain/Organization.ts"
import * as PhoneNumber from "../domain/PhoneNumber.ts"
import { Store } from "../ports/Store.ts"
import * as Verification from "../domain/Verification.ts"
import * as Telemetry from "./Telemetry.ts"
import { Templates } from "../text/Templates.ts"

export interface SendVerification extends Caller, Inputs.SendVerification {}

export interface SentVerification {
  readonly requestId: Ids.RequestId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  /** The requested channel, or SMS if the host falls back to it. */
  readonly channel: Channel
  readonly status: "pending"
  /** Seconds. */
  readonly expiresInSeconds: number
}

export interface CheckVerification extends Caller {
  readonly requestId: string
  /** The code as the user has typed it; 1 to 32 characters. `Codes.normalize` reads it. */
  readonly code: Redacted.Redacted<string>
}

export interface CheckedVerification {
  readonly requestId: Ids.RequestId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  readonly status: "verified"
  /** Epoch milliseconds; the same in every repeated check. */
  readonly verifiedAt: number
  /** Whether this check verified the request. Begin a session for the first one only. */
  readonly isFirst: boolean
}

/** Times are in epoch milliseconds. */
export interface VerificationStatus extends Pick<
  Verification.Verification,
  "requestId" | "channel" | "createdAt" | "expiresAt" | "verifiedAt" | "attemptsRemaining"
> {
  readonly phoneNumber: PhoneNumber.PhoneNumber
  readonly status: Verification.State
}

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

const maxCodeInput = 32

export class Verifications extends Context.Service<
  Verifications,
  {
    /**
     * Sends a code. Succeeds if the gateway has accepted it, or may have. A code that was certainly not sent
     * fails with `SendingFailed` and is charged nothing.
     */
    readonly send: (input: Parsed<SendVerification>) => Effect.Effect<SentVerification, SendError>
    /** Checks a code. Every wrong code costs an attempt, in any format. */
    readonly check: (
      input: Parsed<CheckVerification>,
    ) => Effect.Effect<CheckedVerification, CheckError>
    /** Reads a request without changing it. */
    readonly status: (
      input: Caller & { readonly requestId: string },
    ) => Effect.Effect<VerificationStatus, RequestNotFound | AccessError>
  }
>()("@countersign/core/services/Verifications") {}

const make = Effect.gen(function* () {
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

  /** The requested channel. By default SMS, or WhatsApp if the host begins there and the sender exists. */
  const channelOf = (
    { brand, channel }: Pick<SendVerification, "brand" | "channel">,
    { brands }: Organization.Organization,
  ): Channel => {
    if (channel !== undefined) return channel
    return delivery.isWhatsAppFirst && Result.isSuccess(Brand.resolve(brands, "whatsapp", brand))
      ? "whatsapp"
      : "sms"
  }

  const prepare = (
    input: Parsed<SendVerification>,
    organization: Organization.Organization,
    limits: Limits,
  ): Result.Result<CodeDelivery, InvalidRequest> => {
    const problems = new FieldProblems()
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, (text) =>
      numberPolicy.parse(text, "required"),
    )
    const brand = problems.value("brand", input.brand)
    const requested = problems.value("channel", input.channel)
    const channel = channelOf({ brand, channel: requested }, organization)
    const codeLength = problems.value("codeLength", input.codeLength) ?? limits.codeLength.default
    const expirySeconds =
      problems.value("expirySeconds", input.expirySeconds) ?? limits.expirySeconds.default
    const locale = problems.value("locale", input.locale) ?? templates.defaultLocale
    const sender = Brand.resolve(organization.brands, channel, brand)
    if (!channels.includes(channel))
      problems.add("channel", FieldProblem.make("unknown_channel", {}))
    // A sender is not looked up for an unknown channel or by an unreadable name.
    else if (Result.isFailure(sender) && !problems.has("channel") && !problems.has("brand")) {
      problems.add("brand", sender.failure)
    }
    problems.integer("codeLength", codeLength, limits.codeLength)
    problems.integer("expirySeconds", expirySeconds, limits.expirySeconds)
    if (!templates.locales.includes(locale)) {
      problems.add("locale", FieldProblem.make("unknown_option", { options: templates.locales }))
    }
    const { error } = problems
    if (error !== undefined || phoneNumber === undefined || Result.isFailure(sender)) {
      return Result.fail(error ?? invalid)
    }
    return Result.succeed({
      organization: organization.id,
      phoneNumber,
      sending: sendingTo(phoneNumber),
      sender: sender.success,
      brand,
      channel,
      codeLength,
      expirySeconds,
      locale,
    })
  }

  const deliver = Effect.fnUntraced(function* (
    progress: Progress,
    requested: CodeDelivery,
    organization: Organization.Organization,
    limits: Limits,
  ) {
    const isMissed = progress.isUnreachable && requested.channel === "whatsapp"
    const chosen = isMissed ? delivery.bySms(requested, organization) : requested
    if (chosen === undefined) return yield* new NotOnWhatsApp()
    const { channel, requestId } = yield* delivery.deliver(
      chosen,
      organization,
      limits,
      progress.isCounted,
    )
    const sent: SentVerification = {
      requestId,
      phoneNumber: requested.phoneNumber,
      channel,
      status: "pending",
      expiresInSeconds: requested.expirySeconds,
    }
    return sent
  })

  const sendFor = (
    input: Parsed<SendVerification>,
    organization: Organization.Organization,
    progress: Progress,
  ): Effect.Effect<SentVerification, SendError | StaleSettings> => {
    const allowed = Organization.limitsOf(organization, hostLimits)
    const result = prepare(input, organization, allowed)
    if (Result.isFailure(result)) return access.refuse(organization, result.failure)
    const { phoneNumber, sending } = result.success
    const limits = sending.limits(allowed)
    const admitted = admit(progress, result.success, () =>
      Effect.flatMap(
        commits.run({
          _tag: "AdmitVerification",
          organization: organization.id,
          version: organization.version,
          phoneNumber,
          limits,
        }),
        (admission) =>
          admission._tag === "Admitted"
            ? Effect.void
            : refusedVerification(admission, limits.pendingPerNumber),
      ),
    )
    return Effect.andThen(admitted, deliver(progress, result.success, organization, limits))
  }

  const checkFor = Effect.fnUntraced(function* (
    input: Parsed<CheckVerification>,
    organization: Organization.Organization,
  ) {
    const problems = new FieldProblems()
    const code = problems.parse("code", input.code, typed)
    const id = problems.parse("requestId", input.requestId, notEmpty)
    if (code === undefined || id === undefined) {
      return yield* access.refuse(organization, problems.error ?? invalid)
    }
    const requestId = requestIdOf(id)
    const owner = { organization: organization.id, requestId }
    const outcome = yield* commits.run({
      _tag: "CheckCode",
      organization: organization.id,
      version: organization.version,
      requestId,
      candidates: yield* codes.candidates(owner, code),
      limits: Organization.limitsOf(organization, hostLimits),
      rules,
    })
    yield* Telemetry.countCheck(outcome._tag)
    return yield* checked(requestId, outcome)
  })

  return Verifications.of({
    send: traced("Verifications.send", (input) => {
      const progress = newProgress()
      return access.serve(input, (organization) => sendFor(input, organization, progress))
    }),
    check: traced("Verifications.check", (input) =>
      access.serve(input, (organization) => checkFor(input, organization)),
    ),
    status: traced("Verifications.status", (input) =>
      Effect.andThen(
        access.confirm(input),
        Effect.flatMap(
          store.verification(input.organization, requestIdOf(input.requestId)),
          (found) =>
            found === undefined
              ? Effect.fail(new RequestNotFound())
              : Effect.succeed(statusOf(found.verification, found.now)),
        ),
      ),
    ),
  })
})

export const layer = Layer.effect(Verifications, make)

/** The requested id. Text that cannot be an id becomes an id that no request has. */
const requestIdOf = (text: string): Ids.RequestId =>
  Ids.RequestId(Ids.sortablePattern.test(text) ? text : "none")

const invalid = new InvalidRequest({ details: {} })

/** Any text that is not empty may be an id, even if no request has it. */
const notEmpty = (text: string): Result.Result<string, FieldProblem.FieldProblem> =>
  text === "" ? Result.fail(FieldProblem.make("empty", {})) : Result.succeed(text)

const typed = (
  code: Redacted.Redacted<string>,
): Result.Result<Redacted.Redacted<string>, FieldProblem.FieldProblem> => {
  const text = Redacted.value(code)
  return text.length < 1 || text.length > maxCodeInput
    ? Result.fail(FieldProblem.make("length_out_of_range", { min: 1, max: maxCodeInput }))
    : Result.succeed(Redacted.make(normalize(text), { label: "code" }))
}

const checked = (
  requestId: Ids.RequestId,
  outcome: OwnResult<"CheckCode">,
): Effect.Effect<
  CheckedVerification,
  RateLimited | RequestNotFound | WrongCode | AttemptsExhausted | RequestExpired
> => {
  switch (outcome._tag) {
    case "Verified":
      return Effect.succeed({
        requestId,
        phoneNumber: outcome.phoneNumber,
        status: "verified",
        verifiedAt: outcome.verifiedAt,
        isFirst: outcome.isFirst,
      })
    case "WrongCode":
      return Effect.fail(new WrongCode({ requestId, attemptsRemaining: outcome.attemptsRemaining }))
    case "Failed":
      return Effect.fail(new AttemptsExhausted({ requestId }))
    case "Expired":
      return Effect.fail(new RequestExpired({ requestId }))
    case "NotFound":
      return Effect.fail(new RequestNotFound())
    case "Limited":
      return Effect.fail(
        new RateLimited({ retryAfterSeconds: outcome.retryAfterSeconds, reason: "rate" }),
      )
  }
}

const statusOf = (self: Verification.Verification, now: number): VerificationStatus => ({
  requestId: self.requestId,
  phoneNumber: self.phoneNumber,
  channel: self.channel,
  status: Verification.stateAt(self, now),
  attemptsRemaining: self.attemptsRemaining,
  createdAt: self.createdAt,
  expiresAt: self.expiresAt,
  verifiedAt: self.verifiedAt,
})
