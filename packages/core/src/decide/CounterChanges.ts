/** The changes of the counters of gateways and webhooks by a decision. */
import type { Command, Tag } from "./Command.ts"
import type { View, Writes } from "./Decision.ts"
import { type Attempt, isAccepted, vendorCodeText } from "../domain/messages/GatewayOutcome.ts"
import type { Message } from "../domain/messages/Message.ts"
import { boundOf, type Counter, one } from "../domain/money/Counter.ts"
import type { Total } from "../domain/money/Total.ts"
import type { WebhookAttempt } from "../domain/webhooks/WebhookAttempt.ts"

/** The counters of the messages that totals count. */
export const ofTotals = (totals: ReadonlyArray<Total>): ReadonlyArray<Counter> =>
  totals.flatMap(({ amount, at, count, gateway: subject, kind, outcome: name, refunded }) =>
    kind === "messages" ? [one({ kind, subject, name, count, amount, refunded }, at)] : [],
  )

/** The code of an error: its reason, and after a colon the vendor's code, if there is one. */
export const errorCode = (reason: string, vendorCode: string | null | undefined): string =>
  vendorCode === null || vendorCode === undefined || vendorCode === ""
    ? reason
    : `${reason}:${vendorCodeText(vendorCode)}`

const ofAttempts = (
  attempts: ReadonlyArray<Attempt>,
  message: Message,
  now: number,
): ReadonlyArray<Counter> =>
  attempts.flatMap(({ failure, gateway: subject, millis, vendorCode }) => [
    one({ kind: "answers", subject, name: boundOf(millis) }, now),
    ...(failure === undefined
      ? []
      : [one({ kind: "errors", subject, name: errorCode(failure, vendorCode) }, now, message)]),
  ])

/** The error that a message got otherwise than by an attempt: from a report, or at its deadline. */
const ofFailure = (
  before: Message | undefined,
  after: Message,
  now: number,
): ReadonlyArray<Counter> => {
  const { failureReason, gateway: subject, status, vendorCode } = after
  if (failureReason === null || before === undefined) return none
  if (before.failureReason === failureReason && before.status === status) return none
  return [one({ kind: "errors", subject, name: errorCode(failureReason, vendorCode) }, now, after)]
}

const ofWebhook = ({ at, error, millis, webhookId }: WebhookAttempt): Counter =>
  one({ kind: error === null ? "taken" : "failed", subject: webhookId, name: boundOf(millis) }, at)

const none: ReadonlyArray<Counter> = []

/** The counters to add to for a decision with these writes, which adds `totals` to the totals. */
export const of = <T extends Tag>(
  command: Command<T>,
  view: Pick<View, "message">,
  { attempts, message }: Writes,
  totals: ReadonlyArray<Total>,
  now: number,
): ReadonlyArray<Counter> => {
  if (attempts !== undefined) return attempts.map(ofWebhook)
  if (message === undefined) return none
  const before = view.message?.sequence === message.sequence ? view.message : undefined
  const tried = "outcome" in command ? attemptsIn(command.outcome, before) : undefined
  const errors =
    tried === undefined ? ofFailure(before, message, now) : ofAttempts(tried, message, now)
  const ofMessages = ofTotals(totals)
  return errors.length === 0 ? ofMessages : [...ofMessages, ...errors]
}

/**
 * The attempts of an outcome that is recorded for the first time; `undefined` without attempts. A commit whose answer was
 * lost is made again. A report or the deadline may have come before an acceptance, but then it has no id yet.
 */
const attemptsIn = (
  outcome: Command<"RecordDispatch">["outcome"],
  before: Message | undefined,
): ReadonlyArray<Attempt> | undefined => {
  const isFirst =
    before?.status === "pending" || (isAccepted(outcome) && before?.gatewayId === null)
  return isFirst ? outcome.attempts : undefined
}
