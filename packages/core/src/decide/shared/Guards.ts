/** The limits on messages with codes and on checks. A guard that refuses counts nothing, and all are counted at once. */
import * as Result from "effect/Result"
import type * as Results from "./Results.ts"
import * as ClientActivity from "../../domain/verifications/ClientActivity.ts"
import * as Guesses from "../../domain/verifications/Guesses.ts"
import * as KnownClient from "../../domain/verifications/KnownClient.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import * as Recipient from "../../domain/verifications/Recipient.ts"
import * as SlidingWindow from "../../domain/limits/SlidingWindow.ts"
import type { Verification } from "../../domain/verifications/Verification.ts"
import type { Context, Writes } from "./Decider.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"

interface FromClient extends Results.OfClient {
  readonly organization: OrganizationId
}

interface Sending extends FromClient {
  readonly limits: Limits
}

/** The refusal that takes longer: after its wait, all guards admit a single event. */
const longer = (
  one: Results.OverLimit | undefined,
  other: Results.OverLimit | undefined,
): Results.OverLimit | undefined =>
  one === undefined || (other?.retryAfterSeconds ?? 0) > one.retryAfterSeconds ? other : one

const refusalOf = (
  guessSeconds: number,
  window: SlidingWindow.Admission,
  client: SlidingWindow.Admission | undefined,
): Results.OverLimit | undefined => {
  const ofWindow = window._tag === "Limited" ? window : undefined
  const ofClient: Results.ClientLimited | undefined =
    client?._tag === "Limited"
      ? { _tag: "ClientLimited", retryAfterSeconds: client.retryAfterSeconds }
      : undefined
  const ofGuesses: Results.GuessesLimited | undefined =
    guessSeconds > 0 ? { _tag: "GuessesLimited", retryAfterSeconds: guessSeconds } : undefined
  return longer(longer(ofWindow, ofGuesses), ofClient)
}

const windowAfter = (
  admission: SlidingWindow.Admission | undefined,
): SlidingWindow.SlidingWindow | undefined =>
  admission?._tag === "Admitted" ? admission.window : undefined

const admitClient = (
  digests: KnownClient.Digests | undefined,
  window: SlidingWindow.SlidingWindow | undefined,
  limit: SlidingWindow.WindowLimit | undefined,
  now: number,
): SlidingWindow.Admission | undefined =>
  digests === undefined || limit === undefined
    ? undefined
    : SlidingWindow.admit(window ?? SlidingWindow.empty, limit, now)

/** The activity of the command's client with a newer window; nothing if its activity is not limited. */
const clientWrites = (
  { view }: Context,
  { client, organization }: FromClient,
  windows: Partial<Pick<ClientActivity.ClientActivity, "checks" | "sends">> | undefined,
): Pick<Writes, "client"> =>
  client === undefined || windows === undefined
    ? {}
    : {
        client: { ...(view.client ?? ClientActivity.empty(organization, client[0])), ...windows },
      }

const guessSecondsOf = (
  recipient: Recipient.Recipient | undefined,
  digests: KnownClient.Digests | undefined,
  limits: Limits,
  now: number,
): number => {
  if (recipient === undefined) return 0
  const known = KnownClient.find(recipient.clients, digests, now)
  const seconds = Guesses.retryAfterSeconds(known ?? recipient.guesses, limits, now)
  const { guessesSinceSuccess = Infinity, profile } = limits
  return profile === "nist" && Recipient.sinceSuccess(recipient) >= guessesSinceSuccess
    ? Math.max(seconds, Guesses.blockedSeconds)
    : seconds
}

interface CountedSend extends Pick<Writes, "client"> {
  readonly recipient: Recipient.Recipient
}

/** Counts a message with a code for its number and its client, if these and the wrong codes allow one. */
export const countSend = (
  context: Context,
  command: Sending,
  recipient: Recipient.Recipient,
): Result.Result<CountedSend, Results.OverLimit> => {
  const { now, view } = context
  const { client: digests, limits } = command
  const window = SlidingWindow.admit(recipient.sends, limits.sendsPerNumber, now)
  const client = admitClient(digests, view.client?.sends, limits.sendsPerClient, now)
  const seconds = guessSecondsOf(recipient, digests, limits, now)
  const refusal = refusalOf(seconds, window, client)
  if (refusal !== undefined) return Result.fail(refusal)
  const sends = windowAfter(client)
  return Result.succeed({
    recipient: { ...recipient, sends: windowAfter(window) ?? recipient.sends },
    ...clientWrites(context, command, sends && { sends }),
  })
}

/** Why a number gets no further request; `undefined` if fewer are pending than are allowed. */
export const tooManyPending = (
  recipient: Recipient.Recipient,
  { client, limits }: Sending,
  now: number,
): Results.TooManyPending | undefined => {
  if (Recipient.pendingAt(recipient, now).length < limits.pendingPerNumber) return undefined
  const isKnown = KnownClient.find(recipient.clients, client, now) !== undefined
  const displaces = isKnown ? Recipient.oldestOfStrangers(recipient, now) : undefined
  const retryAfterSeconds = pendingWait(recipient, limits, now)
  return { _tag: "TooManyPending", retryAfterSeconds, ...(displaces && { displaces }) }
}

/** When a place becomes free, requests that were rejected until then may have used up the rate. */
const pendingWait = (
  recipient: Recipient.Recipient,
  { pendingPerNumber, sendsPerNumber }: Limits,
  now: number,
): number => {
  const seconds = Recipient.secondsUntilFree(recipient, pendingPerNumber, now)
  const admission = SlidingWindow.admit(recipient.sends, sendsPerNumber, now + seconds * 1_000)
  return admission._tag === "Limited" ? seconds + admission.retryAfterSeconds : seconds
}

/** Counts a check for the organization, the client and the request, if these and the phone number allow one. */
export const admitCheck = (
  context: Context,
  command: FromClient,
  limits: Limits,
): Result.Result<
  Pick<Writes, "account" | "client"> & { readonly checks: Verification["checks"] | undefined },
  Results.OverLimit
> => {
  const { account, now, view } = context
  const { client: digests } = command
  const window = SlidingWindow.admit(account.checks, limits.checksPerOrganization, now)
  const client = admitClient(digests, view.client?.checks, limits.checksPerClient, now)
  const seconds = guessSecondsOf(view.recipient, digests, limits, now)
  const { verification } = view
  const request =
    verification === undefined || limits.checksPerRequest === undefined
      ? undefined
      : SlidingWindow.admit(verification.checks, limits.checksPerRequest, now)
  const ofRequest = request?._tag === "Limited" ? request : undefined
  const refusal = longer(refusalOf(seconds, window, client), ofRequest)
  if (refusal !== undefined) return Result.fail(refusal)
  const checks = windowAfter(client)
  return Result.succeed({
    account: { ...account, checks: windowAfter(window) ?? account.checks },
    ...clientWrites(context, command, checks && { checks }),
    checks: windowAfter(request),
  })
}
