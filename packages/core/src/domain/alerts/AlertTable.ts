/**
 * The table of alerts: one row for each. Validation, stored settings, the admin API, the CLI, the dashboard's texts and
 * the documents follow from it. The alert of the balance is not here: its bound is `Settings.balanceLowAt`, and the
 * commit that passes it raises the event.
 *
 * An organization sets another bound than the default, or `null` to switch an alert off.
 */
import * as Struct from "effect/Struct"
import type { Bounds } from "../limits/LimitTable.ts"
import { hourMillis } from "../money/Total.ts"

/** The units of a bound. An amount is in units of money. */
export type Kind = "percent" | "money" | "minutes"

export interface Row {
  readonly kind: Kind
  /** `null`: off. */
  readonly default: number | null
  /** Bounds of an organization's own bound. */
  readonly bounds: Bounds
  /** The side of the bound on which the alert is open. */
  readonly side: "below" | "above"
  /** The name in the dashboard. */
  readonly label: string
  /** The value that is compared with the bound. */
  readonly meaning: string
}

const alert = (row: Row): Row => row

const percent = { min: 1, max: 100 }

export const alertTable = {
  delivered: alert({
    kind: "percent",
    default: 80,
    bounds: percent,
    side: "below",
    label: "Delivered messages",
    meaning:
      "The share of the messages of this hour and the hour before that were delivered, of those with a final outcome, in percent.",
  }),
  verified: alert({
    kind: "percent",
    default: 20,
    bounds: percent,
    side: "below",
    label: "Verified codes",
    meaning:
      "The share of the codes of the last two full hours that were verified, in percent. Counts an hour ten minutes after its end.",
  }),
  spend: alert({
    kind: "money",
    default: null,
    bounds: { min: 1, max: Number.MAX_SAFE_INTEGER },
    side: "above",
    label: "Amount spent in a day (UTC)",
    meaning: "The charges of the current UTC day, without refunded ones, a decimal.",
  }),
  webhooks: alert({
    kind: "minutes",
    default: 15,
    // An organization is examined for two hours after its last message.
    bounds: { min: 1, max: 60 },
    side: "above",
    label: "Failing webhooks",
    meaning: "For how long an enabled webhook has taken no event, in minutes.",
  }),
}

export type AlertName = keyof typeof alertTable

export const names: ReadonlyArray<AlertName> = Struct.keys(alertTable)

/** Shares of fewer messages or codes are not compared. */
export const minCases = 20

/** How often an organization is examined. */
export const checkMillis = 60_000

/** The time after an alert in which it is not raised again. */
export const pauseMillis = hourMillis

/** Hours of totals that a share covers. */
export const windowMillis = 2 * hourMillis

/** The time after the end of an hour in which its codes may still be entered. */
export const settleMillis = 600_000
