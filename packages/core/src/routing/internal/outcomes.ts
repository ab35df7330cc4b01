/** The outcomes of the router itself, and its interpretation of the outcomes of its gateways. */
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import type { Capabilities, Gateway } from "../../ports/Gateway.ts"
import type { Reported } from "../../domain/messages/DeliveryReport.ts"
import { type GatewayOutcome, isAccepted } from "../../domain/messages/GatewayOutcome.ts"
import * as Routing from "../Routing.ts"

/** A message does not wait for a slot after the end of the budget. */
export const rateExceeded = (gateway: string, wait: number): GatewayOutcome => ({
  _tag: "Throttled",
  gateway,
  message: `The pace of ${gateway} has its next place in ${Math.ceil(wait / 1_000)} s`,
  retryAfterMillis: wait,
})

export const notSent = (message: string) => ({ _tag: "NotSent", message }) as const

/** The outcome if every gateway of the plan is skipped; `first` is the first of them. */
export const skipped = (first: string | undefined): GatewayOutcome =>
  first === undefined
    ? { ...notSent("No gateway carries such a message"), reason: "no_gateway" }
    : { ...notSent("All gateways are paused"), gateway: first }

/** The outcome if the process stood still for too long. All earlier calls were refused. */
export const tooLate: GatewayOutcome = notSent("The node stood still before the message was sent")

/** Classifies an outcome for a circuit that opens on one kind of signal. */
export const opensOn =
  (kind: Routing.Signal) =>
  (exit: { readonly _tag: string; readonly value?: GatewayOutcome }): CircuitBreaker.Outcome => {
    const signal = exit.value === undefined ? "none" : Routing.signalOf(exit.value)
    if (signal === kind) return CircuitBreaker.failure()
    return signal === "success" ? CircuitBreaker.success : CircuitBreaker.ignored
  }

/** Adds the gateway and its `idMillis`. Without reports, an accepted message counts as delivered. */
export const withGateway = <A extends GatewayOutcome | Reported>(
  outcome: A,
  gateway: string,
  { idMillis, reports }: Capabilities,
): A | GatewayOutcome => {
  if (outcome._tag === "Reported") return outcome
  if (!isAccepted(outcome)) return { ...outcome, gateway }
  const unique = idMillis === undefined ? undefined : { idMillis }
  return { ...unique, ...outcome, gateway, _tag: reports === "none" ? "Delivered" : outcome._tag }
}

const maxPauseMillis = 5_000

/** A growing pause with random jitter, in milliseconds. */
export const backOff = (round: number, draw: number): number =>
  Math.ceil(Math.min(maxPauseMillis, 100 * 2 ** round) * (0.5 + draw / 2))

/** The capabilities that hold for every choice of gateway. */
export const capabilitiesOf = (
  gateways: ReadonlyArray<Gateway["Service"]>,
  budgetMillis: number,
): Capabilities => {
  const all = gateways.map(({ capabilities }) => capabilities)
  const together = all.reduce((sum, { timeoutMillis }) => sum + timeoutMillis, 0)
  const [only] = all
  return {
    // A repeated dispatch may go to another gateway, which does not know the token.
    tokenMillis: all.length === 1 ? (only?.tokenMillis ?? 0) : 0,
    lookup: all.some(({ lookup }) => lookup),
    lookupByToken: all.every(({ lookupByToken }) => lookupByToken === true),
    // The router remembers unreachable numbers, so a check is always useful.
    recipientCheck: true,
    reports: all.every(({ reports }) => reports === "none") ? "none" : "unsigned",
    references: all.every(({ references }) => references === true),
    segments: all.every(({ segments }) => segments),
    // Each gateway may use its whole time-out, and the last one may begin at the end of the budget.
    timeoutMillis: budgetMillis + together + 1_000,
  }
}
