/**
 * Sends one-time codes and checks them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type AccessError, Access, type Caller, type Parsed } from "./Access.ts"
import * as Brand from "../domain/Brand.ts"
import { type Channel, channels } from "../domain/Channel.ts"
import { Codes } from "./Codes.ts"
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
import type * as Ids from "../domain/Ids.ts"
import { rulesInForce } from "./Fraud.ts"
import type * as Inputs from "./Inputs.ts"
import { type CodeDelivery, makeCodeDelivery } from "./internal/codeDelivery.ts"
import { FieldProblems } from "./internal/fieldProblems.ts"
import { reasons, refusedVerification } from "./internal/refusals.ts"
import { clientIn, notEmpty, requestIdOf, typed } from "./internal/verificationInputs.ts"
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
import { TestNumbers } from "./TestNumbers.ts"
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
  /** As in `SendVerification`. */
  readonly client?: string | undefined
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

export interface ResetGuesses extends Caller {
  /** As in `SendVerification`. */
  readonly phoneNumber: string
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
    /**
     * Forgets the wrong codes for a phone number, whose checks are then allowed again. For hosts that have
     * made sure in another way that its owner asks.
     */
    readonly resetGuesses: (
      input: Parsed<ResetGuesses>,
    ) => Effect.Effect<void, InvalidRequest | AccessError>
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
  const testNumbers = yield* TestNumbers

  const parseNumber = (text: string) => numberPolicy.parse(text, "required")

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
  ): Result.Result<PreparedDelivery, InvalidRequest> => {
    const problems = new FieldProblems()
    const clientName = clientIn(problems, input.client)
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, parseNumber)
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
      client: undefined,
      clientName,
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
    const send = (delivery: CodeDelivery) => {
      const { client, phoneNumber, sending } = delivery
      const limits = sending.limits(allowed)
      const admitted = admit(progress, delivery, () =>
        Effect.flatMap(
          commits.run({
            _tag: "AdmitVerification",
            organization: organization.id,
            version: organization.version,
            phoneNumber,
            limits,
            client,
          }),
          (admission) =>
            admission._tag === "Admitted"
              ? Effect.void
              : refusedVerification(admission, limits.pendingPerNumber),
        ),
      )
      return Effect.andThen(admitted, deliver(progress, delivery, organization, limits))
    }
    const { clientName, ...delivery } = result.success
    return clientName === undefined
      ? send(delivery)
      : Effect.flatMap(codes.client(organization.id, clientName), (client) =>
          send({ ...delivery, client }),
        )
  }

  const checkFor = Effect.fnUntraced(function* (
    input: Parsed<CheckVerification>,
    organization: Organization.Organization,
  ) {
    const problems = new FieldProblems()
    const code = problems.parse("code", input.code, typed)
    const id = problems.parse("requestId", input.requestId, notEmpty)
    const clientName = clientIn(problems, input.client)
    const { error } = problems
    if (code === undefined || id === undefined || error !== undefined) {
      return yield* access.refuse(organization, error ?? invalid)
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
      testNumbers: testNumbers.numbers,
      client:
        clientName === undefined ? undefined : yield* codes.client(organization.id, clientName),
    })
    yield* Telemetry.countCheck(outcome._tag)
    return yield* checked(requestId, outcome)
  })

  const resetFor = Effect.fnUntraced(function* (
    input: Parsed<ResetGuesses>,
    organization: Organization.Organization,
  ) {
    const problems = new FieldProblems()
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, parseNumber)
    if (phoneNumber === undefined) {
      return yield* access.refuse(organization, problems.error ?? invalid)
    }
    yield* commits.run({ _tag: "ResetGuesses", organization: organization.id, phoneNumber })
  })

  return Verifications.of({
    send: traced("Verifications.send", (input) => {
      const progress = newProgress()
      return access.serve(input, (organization) => sendFor(input, organization, progress))
    }),
    check: traced("Verifications.check", (input) =>
      access.serve(input, (organization) => checkFor(input, organization)),
    ),
    resetGuesses: traced("Verifications.resetGuesses", (input) =>
      access.serve(input, (organization) => resetFor(input, organization)),
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

/** A delivery whose client is not digested yet. */
interface PreparedDelivery extends CodeDelivery {
  readonly clientName: string | undefined
}

const invalid = new InvalidRequest({ details: {} })

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
    case "GuessesLimited":
    case "ClientLimited": {
      const { _tag, retryAfterSeconds } = outcome
      return Effect.fail(new RateLimited({ retryAfterSeconds, reason: reasons[_tag] }))
    }
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
