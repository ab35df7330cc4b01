/**
 * Which alerts of an organization are open, and the rule that opens and closes them.
 *
 * An alert opens when its value passes its bound. It is over when the value has come back, is unknown, or the alert was
 * switched off. After it was raised it stays silent for `pauseMillis`: if the value passes the bound again meanwhile,
 * the alert opens only after the pause.
 */
import type { OrganizationEvent } from "../events/Event.ts"
import type { Total } from "../money/Total.ts"
import { hourMillis, slotOf } from "../money/Total.ts"
import type { OrganizationId } from "../values/Ids.ts"
import type { WebhookProgress } from "../webhooks/WebhookProgress.ts"
import { type AlertBounds, textOf } from "./AlertOverrides.ts"
import * as AlertTable from "./AlertTable.ts"
import type { AlertName } from "./AlertTable.ts"

export interface AlertState {
  readonly alert: AlertName
  readonly isOpen: boolean
  /** When it was last raised, in epoch milliseconds. */
  readonly raisedAt: number
}

/** The alerts of an organization. Without those that were never raised. */
export interface Alerts {
  readonly organization: OrganizationId
  /** When the organization was last examined, in epoch milliseconds. */
  readonly checkedAt: number
  /** Whether one of them is open. */
  readonly isOpen: boolean
  readonly states: ReadonlyArray<AlertState>
}

/** The values that are compared with the bounds; `null`: there is nothing to compare. */
export type Values = { readonly [Name in AlertName]: number | null }

export const initial = (organization: OrganizationId): Alerts => ({
  organization,
  checkedAt: 0,
  isOpen: false,
  states: [],
})

/** Whether the time since `from` has passed. A clock that was wrong may have left a `from` in the future. */
const isOver = (from: number, millis: number, now: number): boolean =>
  now < from || now - from >= millis

/** Whether the organization may be examined now. */
export const isDue = ({ checkedAt }: Pick<Alerts, "checkedAt">, now: number): boolean =>
  isOver(checkedAt, AlertTable.checkMillis, now)

const hasPassed = (name: AlertName, value: number, bound: number): boolean =>
  AlertTable.alertTable[name].side === "below" ? value < bound : value > bound

/** The alerts after an examination at `now`, and the events of those that have opened or ended. */
export const judge = (
  self: Alerts,
  bounds: AlertBounds,
  values: Values,
  now: number,
): { readonly alerts: Alerts; readonly events: ReadonlyArray<OrganizationEvent> } => {
  const { organization } = self
  const events: Array<OrganizationEvent> = []
  const states = AlertTable.names.flatMap((alert): ReadonlyArray<AlertState> => {
    const known = self.states.find((one) => one.alert === alert)
    const { [alert]: bound } = bounds
    const { [alert]: value } = values
    if (bound === null || value === null || !hasPassed(alert, value, bound)) {
      if (known?.isOpen !== true) return known === undefined ? [] : [known]
      const shown = value === null ? null : textOf(alert, value)
      events.push({ _tag: "AlertOver", organization, at: now, alert, value: shown })
      return [{ ...known, isOpen: false }]
    }
    if (
      known !== undefined &&
      (known.isOpen || !isOver(known.raisedAt, AlertTable.pauseMillis, now))
    )
      return [known]
    const texts = { value: textOf(alert, value), bound: textOf(alert, bound) }
    events.push({ _tag: "AlertRaised", organization, at: now, alert, ...texts })
    return [{ alert, isOpen: true, raisedAt: now }]
  })
  const isOpen = states.some((one) => one.isOpen)
  return { alerts: { organization, checkedAt: now, isOpen, states }, events }
}

/** The totals that an examination at `now` needs, in whole hours. `to` is exclusive. */
export const hoursOf = (now: number): { readonly from: number; readonly to: number } => ({
  from: slotOf(now - AlertTable.settleMillis, hourMillis) - AlertTable.windowMillis,
  to: slotOf(now, hourMillis) + hourMillis,
})

/** A share in percent, rounded down; `null` for fewer than `minCases`. */
const shareOf = (part: number, all: number): number | null =>
  all < AlertTable.minCases ? null : Math.floor((100 * part) / all)

const finals: ReadonlySet<string> = new Set([
  "delivered",
  "undelivered",
  "failed",
  "unknown",
  "rejected",
])

/** The shares that hours of totals lead to. */
export const sharesOf = (
  totals: ReadonlyArray<Total>,
  now: number,
): Pick<Values, "delivered" | "verified"> => {
  const sum = (kind: Total["kind"], from: number, to: number, is: (outcome: string) => boolean) =>
    totals.reduce(
      (count, row) =>
        row.kind === kind && row.at >= from && row.at < to && is(row.outcome)
          ? count + row.count
          : count,
      0,
    )
  const { to } = hoursOf(now)
  const messages = (is: (outcome: string) => boolean) =>
    sum("messages", to - AlertTable.windowMillis, to, is)
  const settled = slotOf(now - AlertTable.settleMillis, hourMillis)
  const requests = (outcome: string) =>
    sum("requests", settled - AlertTable.windowMillis, settled, (one) => one === outcome)
  return {
    delivered: shareOf(
      messages((outcome) => outcome === "delivered"),
      messages((outcome) => finals.has(outcome)),
    ),
    verified: shareOf(requests("verified"), requests("opened")),
  }
}

/** For how long the webhook that has taken no event for longest has taken none, in whole minutes; `null` without webhooks. */
export const troubleOf = (
  webhooks: ReadonlyArray<Pick<WebhookProgress, "troubledSince">>,
  now: number,
): number | null =>
  webhooks.length === 0
    ? null
    : Math.max(
        ...webhooks.map(({ troubledSince }) =>
          troubledSince === null ? 0 : Math.max(0, Math.floor((now - troubledSince) / 60_000)),
        ),
      )
