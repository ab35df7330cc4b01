/**
 * What the router says itself, and what it makes of what its gateways say.
 */
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import type { Capabilities, Gateway } from "../../ports/Gateway.ts"
import type { GatewayOutcome } from "../../domain/GatewayOutcome.ts"
import * as Routing from "../Routing.ts"
import type { Slot } from "./pacer.ts"

export const immediateSlot: Slot = { wait: 0, isTaken: true }

/** Nobody waits for a place that comes after the budget. */
export const rateExceeded = (gateway: string, wait: number): GatewayOutcome => ({
  _tag: "Throttled",
  message: `The pace of ${gateway} has its next place in ${Math.ceil(wait / 1_000)} s`,
  retryAfterMillis: wait,
})

export const circuitsOpen: GatewayOutcome = {
  _tag: "NotSent",
  message: "All gateways are left alone for a while",
}

export const noRoute: GatewayOutcome = {
  _tag: "NotSent",
  message: "No gateway carries such a message",
}
export const lookupUnsupported: GatewayOutcome = { _tag: "Unknown", message: "No gateway can tell" }
export const timedOut: GatewayOutcome = {
  _tag: "Unknown",
  message: "The gateway did not answer in time",
}
export const adapterFailed: GatewayOutcome = {
  _tag: "Unknown",
  message: "The gateway adapter failed",
}

/** How a breaker takes an outcome: what is not named does not count. */
export const classify =
  (kinds: { readonly [K in Routing.Health]?: "success" | "failure" }) =>
  (exit: { readonly _tag: string; readonly value?: GatewayOutcome }): CircuitBreaker.Outcome => {
    if (exit.value === undefined) return CircuitBreaker.ignored
    const kind = kinds[Routing.healthOf(exit.value)]
    if (kind === undefined) return CircuitBreaker.ignored
    return kind === "success" ? CircuitBreaker.success : CircuitBreaker.failure()
  }

/**
 * Under the name of whoever took it, with how long its ids stay unique; and arrived, where nobody would
 * ever say more.
 */
export const withGateway = <A extends { readonly _tag: string }>(
  outcome: GatewayOutcome | A,
  gateway: string,
  { idMillis, reports }: Capabilities,
): GatewayOutcome | A => {
  if (outcome._tag !== "Accepted" && outcome._tag !== "Delivered") return outcome
  const unique = idMillis === undefined ? undefined : { idMillis }
  return { ...unique, ...outcome, gateway, _tag: reports === "none" ? "Delivered" : outcome._tag }
}

/** Longest pause between two rounds. */
const maxPauseMillis = 5_000

/** A pause that grows, and is another for everybody. */
export const backOff = (round: number, draw: number): number =>
  Math.ceil(Math.min(maxPauseMillis, 100 * 2 ** round) * (0.5 + draw / 2))

/** What can be relied on, whichever of them it will be. */
export const capabilitiesOf = (
  gateways: ReadonlyArray<Gateway["Service"]>,
  budgetMillis: number,
): Capabilities => {
  const all = gateways.map(({ capabilities }) => capabilities)
  const together = all.reduce((sum, { timeoutMillis }) => sum + timeoutMillis, 0)
  const [only] = all
  return {
    // Sent once more, a message may go another way, where nobody knows its token.
    tokenMillis: all.length === 1 ? (only?.tokenMillis ?? 0) : 0,
    lookup: all.some(({ lookup }) => lookup),
    // What was learned of a number is worth asking for.
    recipientCheck: true,
    reports: all.every(({ reports }) => reports === "none") ? "none" : "unsigned",
    segments: all.every(({ segments }) => segments),
    // Each may take all of its time before it says that nothing was sent, the last beginning at the end of
    // the budget.
    timeoutMillis: budgetMillis + together + 1_000,
  }
}
