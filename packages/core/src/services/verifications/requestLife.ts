/** The calls on a request after its code was sent: send it again, cancel, and read its state. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Access } from "../../engine/Access.ts"
import type { Caller, Parsed } from "../../api/Caller.ts"
import * as Sender from "../../domain/messages/Sender.ts"
import { channels } from "../../domain/values/Channel.ts"
import { CodeDelivery } from "../../delivery/CodeDelivery.ts"
import { Codes } from "../../engine/Codes.ts"
import { type CallError, Commits } from "../../engine/Commits.ts"
import { RequestNotFound } from "../../domain/errors/Errors.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"
import { Limits } from "../../domain/limits/Limits.ts"
import type { OrganizationId, RequestId } from "../../domain/values/Ids.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import * as Organization from "../../domain/organizations/Organization.ts"
import * as Prefixes from "../../domain/values/PrefixList.ts"
import { Store } from "../../ports/Store.ts"
import type * as Api from "../../api/verifications.ts"
import type { Status } from "../../domain/messages/Message.ts"
import * as Verification from "../../domain/verifications/Verification.ts"
import { isCodeSent, noText, ofCode, sentCode } from "../../engine/StoredAnswer.ts"
import { checkKey, makeIdempotency } from "../../engine/Idempotency.ts"
import * as Fields from "../../api/internal/fieldProblems.ts"
import { refusedResend, requestError } from "../../engine/CommandErrors.ts"
import { statusOf, subjectOf } from "../internal/queuedVerification.ts"
import { admit } from "../../delivery/internal/sending.ts"
import type { Admission, Step } from "../../engine/Admission.ts"

const notAllowed = FieldProblem.make("channel_not_allowed", {})

export const makeRequestLife = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const delivery = yield* CodeDelivery
  const store = yield* Store
  const hostLimits = yield* Limits
  const idempotency = yield* makeIdempotency

  /** The code to send again, and its client. */
  const reopened = Effect.fnUntraced(function* (
    input: Parsed<Api.ResendVerification>,
    organization: Organization.Organization,
    admission: Admission,
  ) {
    const problems = new Fields.FieldProblems()
    checkKey(problems, input)
    const id = problems.parse("requestId", input.requestId, Fields.notEmpty)
    const channel = problems.value("channel", input.channel)
    const clientName = problems.parse("client", input.client, Fields.clientOf)
    if (channel !== undefined && !channels.includes(channel)) {
      problems.add("channel", FieldProblem.make("unknown_channel", {}))
    } else if (channel !== undefined && !hostLimits.codeChannels.includes(channel)) {
      problems.add("channel", notAllowed)
    }
    if (id === undefined || problems.error !== undefined) {
      return yield* access.refuse(organization, problems.error ?? Fields.invalid)
    }
    const found = yield* store.verification(organization.id, Fields.requestIdOf(id))
    if (found === undefined) return yield* access.refuse(organization, new RequestNotFound())
    const { now, verification } = found
    const { requestId } = verification
    admission.requestId = requestId
    admission.phoneNumber = verification.phoneNumber
    const used = channel ?? verification.channel
    admission.channel = used
    const state = Verification.stateAt(verification, now)
    if (state !== "pending") {
      return yield* access.refuse(organization, requestError(requestId, ended[state]))
    }
    problems.parse("phoneNumber", verification.phoneNumber, () =>
      Prefixes.accept(organization.settings, verification.phoneNumber),
    )
    // The host may have allowed the channel of the last message before.
    if (problems.error === undefined && !hostLimits.codeChannels.includes(used)) {
      problems.add("channel", notAllowed)
    }
    if (problems.error !== undefined) return yield* access.refuse(organization, problems.error)
    const known = yield* delivery.reopen(verification, organization, now, channel)
    if (known === undefined) {
      const sender = Sender.resolve(organization.senders, used, undefined, "transactional")
      if (Result.isFailure(sender)) problems.add("channel", sender.failure)
      // Otherwise the code cannot be read.
      return yield* access.refuse(organization, problems.error ?? noText)
    }
    const client =
      clientName === undefined ? undefined : yield* codes.client(organization.id, clientName)
    return { known, client }
  })

  const resendFor: Step<
    Parsed<Api.ResendVerification>,
    Api.SentVerification,
    Api.ResendError | CallError
  > = (call, done, input, organization, admission) =>
    call.andThen(reopened(input, organization, admission), done, ({ client, known }) => {
      const { requestId } = known
      const limits = known.sending.limits(Organization.limitsOf(organization, hostLimits))
      const count = () =>
        Effect.flatMap(
          commits.runOnce({
            _tag: "AdmitResend",
            idempotency: admission.keyed,
            organization: organization.id,
            version: organization.version,
            requestId,
            limits,
            client,
          }),
          (admitted) =>
            admitted._tag === "Admitted" ? Effect.void : refusedResend(requestId, admitted),
        )
      admit(call, done, admission, known, count, () =>
        delivery.resend(call, done, { ...known, client }, { organization, limits, admission }),
      )
    })

  const resend = idempotency.once("resend", resendFor, (repeated, { requestId }, organization) => {
    const limits = Organization.limitsOf(organization, hostLimits)
    const restore = idempotency.answerTo(isCodeSent, ofCode(store, limits), (sent, message) =>
      sentCode(sent, Fields.requestIdOf(String(requestId)), message.phoneNumber),
    )
    return restore(repeated)
  })

  const cancelledOf = (
    requestId: RequestId,
    phoneNumber: PhoneNumber,
  ): Api.CancelledVerification => ({ requestId, phoneNumber, status: "failed" })

  /** Cancels a code that waits in the outbox. Returns its number; `undefined` if it was sent or does not exist. */
  const cancelQueued = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
    const queued = yield* store.queued(organization, id)
    if (queued === undefined || queued.end === "sent") return undefined
    const verification = subjectOf(queued)
    const end = "cancelled"
    const ended = { _tag: "EndQueued", organization, queued: { id }, end, verification } as const
    yield* commits.run(ended)
    const after = yield* store.queued(organization, id)
    return after?.end === "sent" ? undefined : after?.phoneNumber
  })

  const cancel = Effect.fnUntraced(function* (
    input: Parsed<Caller & { readonly requestId: string }>,
    organization: Organization.Organization,
  ) {
    const problems = new Fields.FieldProblems()
    const id = problems.parse("requestId", input.requestId, Fields.notEmpty)
    if (id === undefined)
      return yield* access.refuse(organization, problems.error ?? Fields.invalid)
    const requestId = Fields.requestIdOf(id)
    const { id: owner, version } = organization
    const about = { organization: owner, version, requestId }
    const run = commits.run({ _tag: "CancelVerification", ...about })
    let result = yield* run
    if (result._tag === "NotFound") {
      const phoneNumber = yield* cancelQueued(owner, id)
      if (phoneNumber !== undefined) return cancelledOf(requestId, phoneNumber)
      // It may have been sent meanwhile.
      result = yield* run
    }
    if (result._tag !== "Cancelled") return yield* requestError(requestId, result)
    return cancelledOf(requestId, result.phoneNumber)
  })

  const status = Effect.fnUntraced(function* (
    input: Caller & { readonly requestId: string },
    organization: Organization.Organization,
  ) {
    const requestId = Fields.requestIdOf(input.requestId)
    const limits = Organization.limitsOf(organization, hostLimits)
    const found = yield* store.verification(organization.id, requestId)
    if (found === undefined) {
      const queued = yield* store.queued(organization.id, requestId)
      const waiting = queued && statusOf(queued, limits)
      return waiting === undefined
        ? yield* new RequestNotFound()
        : { ...waiting, now: yield* Clock.currentTimeMillis }
    }
    const { earlierMessages, messageSequence } = found.verification
    const read = yield* Effect.forEach([...earlierMessages, messageSequence], (sequence) =>
      store.message({ organization: organization.id, sequence }),
    )
    const messages = read.flatMap((one) => one?.message ?? [])
    const status: Api.VerificationStatus = {
      ...stateOf(found.verification, limits, found.now, messages.at(-1)?.status ?? null),
      messages,
      now: found.now,
    }
    return status
  })

  return { resend, cancel, status }
})

/** The results of commands for requests in a state in which no code is sent again. */
const ended = {
  verified: { _tag: "AlreadyVerified" },
  failed: { _tag: "AlreadyFailed" },
  expired: { _tag: "Expired" },
} as const

/** The status of a request, without its messages. `delivery`: the status of the newest one, if it is known. */
export const stateOf = (
  self: Verification.Verification,
  limits: Limits,
  now: number,
  delivery: Status | null,
): Omit<Api.VerificationStatus, "messages" | "now"> => {
  const status = Verification.stateAt(self, now)
  const resendsRemaining = status === "pending" ? Math.max(0, limits.resends - self.resends) : 0
  const resendAt = Verification.resendAt(self, limits, now)
  return {
    requestId: self.requestId,
    phoneNumber: self.phoneNumber,
    channel: self.channel,
    status,
    attemptsRemaining: self.attemptsRemaining,
    resendsRemaining,
    resendAt: resendsRemaining > 0 && resendAt < self.expiresAt ? Math.max(now, resendAt) : null,
    createdAt: self.createdAt,
    expiresAt: self.expiresAt,
    verifiedAt: self.verifiedAt,
    consumedAt: self.consumedAt,
    purpose: self.purpose,
    metadata: self.metadata,
    failure: status === "failed" ? Verification.failureOf(self, delivery) : null,
  }
}
