/** The limits on what callers may do. */
import * as Context from "effect/Context"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import { type Channel, channels } from "../values/Channel.ts"
import * as LimitTable from "./LimitTable.ts"
import { limitsOf, type WindowLimit } from "./SlidingWindow.ts"

/** `nist`: the limits are at least as strict as NIST SP 800-63B, with any settings of an organization. */
export type Profile = "standard" | "nist"

/** The limits of one organization. `undefined`: no limit. */
export interface Limits extends Values {
  /**
   * The host's profile. Under `nist`, a verification is used before its code expires, and refuses checks after that;
   * and `guessesSinceSuccess` bounds the wrong codes of all clients together.
   */
  readonly profile: Profile
  /** The channels that the host allows for codes. */
  readonly codeChannels: ReadonlyArray<Channel>
}

type Values = { readonly [Name in LimitTable.LimitName]: LimitTable.ValueOf<Name, undefined> }

interface DefaultOf extends Struct.Lambda {
  (row: LimitTable.Row): LimitTable.Row["default"]
  readonly "~lambda.out": this["~lambda.in"] extends { readonly default: infer A } ? A : never
}

export const defaults: Limits = {
  profile: "standard",
  codeChannels: channels,
  ...Struct.map(
    LimitTable.limitTable,
    Struct.lambda<DefaultOf>((row) => row.default),
  ),
}

/** The limits, and thirty events a day, unless one of the limits is as strict. */
const withThirtyADay = (limit: WindowLimit = LimitTable.thirtyADay): WindowLimit => {
  const limits = limitsOf(limit)
  const { max: most, windowMillis: day } = LimitTable.thirtyADay
  return limits.some(({ max, windowMillis }) => max <= most && windowMillis >= day)
    ? limit
    : [LimitTable.thirtyADay, ...limits]
}

/** The limits under the profile `nist`: each at least as strict as SP 800-63B requires. */
export const nist = (limits: Limits): Limits => {
  const { codeLength, expirySeconds, guessesSinceSuccess = 100 } = limits
  return {
    ...limits,
    profile: "nist",
    codeLength: Record.map(codeLength, (digits) => Math.max(6, digits)),
    expirySeconds: Record.map(expirySeconds, (seconds) => Math.min(600, seconds)),
    guessesPerNumber: withThirtyADay(limits.guessesPerNumber),
    guessesSinceSuccess: Math.min(100, guessesSinceSuccess),
  }
}

/** Bounds of an organization's own limits. They keep every row and every answer bounded. */
export const bounds = {
  ...LimitTable.windowBounds,
  ...Record.map(LimitTable.limitTable, (row): LimitTable.Bounds => row.bounds),
}

/** The limits in force for organizations without limits of their own. */
export const Limits = Context.Reference<Limits>("@countersign/core/domain/limits/Limits", {
  defaultValue: () => defaults,
})
