/**
 * The findings of an organization, the most urgent first: pure rules over facts that were read. Each finding has its
 * cause as a code with parameters, its start, and the page that shows it. A code lets each reader get a sentence in
 * their language.
 */
import type { Channel } from "../values/Channel.ts"
import * as Money from "../values/Money.ts"
import type { GatewayHealth } from "../messages/GatewayHealth.ts"
import { dayMillis, hourMillis, type Total } from "../money/Total.ts"
import type { WebhookProgress } from "../webhooks/WebhookProgress.ts"

/** In the order in which findings of the same urgency are named. */
export const codes = [
  "no_sender",
  "balance_empty",
  "gateway_paused",
  "delivered_fell",
  "verified_fell",
  "balance_days",
  "balance_low",
  "webhook_failing",
  "retention_behind",
] as const

export type Code = (typeof codes)[number]

/** The pages that show a cause. */
export const pages = [
  "senders",
  "balance",
  "gateways",
  "messages",
  "verifications",
  "webhooks",
  "settings",
] as const

export interface Finding {
  readonly code: Code
  /** Whether messages do not arrive, or soon cannot be sent. */
  readonly isUrgent: boolean
  /** Epoch milliseconds; `null` if it is unknown. */
  readonly since: number | null
  readonly target: { readonly page: (typeof pages)[number]; readonly id: string | null }
  /** Numbers, names, amounts as decimals, and shares in per cent. */
  readonly parameters: Readonly<Record<string, string | number>>
}

export interface Facts {
  readonly now: number
  readonly hasDefaultSender: boolean
  readonly balance: Money.Money
  readonly balanceLowAt: Money.Money | null
  readonly gateways: ReadonlyArray<Pick<GatewayHealth, "gateway" | "state">>
  /** Totals of messages and requests of the last `observedMillis`, by the hour. */
  readonly totals: ReadonlyArray<Total>
  readonly webhooks: ReadonlyArray<
    Pick<WebhookProgress, "status" | "troubledSince"> & {
      readonly id: string
      readonly url: string
    }
  >
  /** When the oldest message in the log was made; `undefined` without messages. */
  readonly oldestMessageAt: number | undefined
  /** How long messages are kept, in milliseconds. `Infinity`: forever. */
  readonly keptMillis: number
}

/** Shares are compared with the shares of the days before. */
export const observedMillis = 8 * dayMillis

/** The period whose spending tells how long the balance lasts. */
const spendingMillis = 7 * dayMillis

/** A share of fewer cases says nothing. */
const minCases = 20

/** The same of an hour, which tells since when a share has fallen. */
const minCasesOfHour = 5

/** A share has fallen if it is this much lower, and chance is no likely cause: three standard errors. */
const minDrop = 0.1
const minErrors = 3

/** Days left below which a balance is named, and below which it is urgent. */
const fewDays = 7
const urgentDays = 2

/** How long a receiver may have trouble before it is named. */
const troubleMillis = 15 * 60_000

/** How late retention may be. It drops rows in small steps. */
const lateMillis = 2 * dayMillis

interface Share {
  readonly part: number
  readonly all: number
}

const shareOf = ({ all, part }: Share): number => (all === 0 ? 0 : part / all)

const perCent = (share: Share): number => Math.round(shareOf(share) * 1_000) / 10

/** The share of each hour that has cases, in the order of time. */
type Hours = ReadonlyArray<Share & { readonly at: number }>

const hoursOf = (
  totals: ReadonlyArray<Total>,
  isPart: (total: Total) => boolean,
  isCase: (total: Total) => boolean,
): Hours => {
  const found = new Map<number, Share>()
  for (const total of totals) {
    const { all, part } = found.get(total.at) ?? { all: 0, part: 0 }
    found.set(total.at, {
      all: all + (isCase(total) ? total.count : 0),
      part: part + (isPart(total) ? total.count : 0),
    })
  }
  return [...found]
    .map(([at, share]) => ({ at, ...share }))
    .filter(({ all }) => all > 0)
    .toSorted((a, b) => a.at - b.at)
}

const sumOf = (hours: Hours): Share => ({
  all: hours.reduce((sum, { all }) => sum + all, 0),
  part: hours.reduce((sum, { part }) => sum + part, 0),
})

const isLower = (now: Share, before: Share): boolean => {
  if (now.all < minCases || before.all < minCases) return false
  const drop = shareOf(before) - shareOf(now)
  const both = (now.part + before.part) / (now.all + before.all)
  const error = Math.sqrt(both * (1 - both) * (1 / now.all + 1 / before.all))
  return drop >= minDrop && drop > minErrors * error
}

/** How a share has fallen in the last hours against the days before; `undefined` if it has not, or is well again. */
export const fallOf = (
  hours: Hours,
  now: number,
  windows: ReadonlyArray<number>,
): { readonly before: Share; readonly now: Share; readonly since: number } | undefined => {
  for (const window of windows) {
    const start = now - window * hourMillis
    const recent = hours.filter(({ at }) => at >= start)
    const before = sumOf(hours.filter(({ at }) => at < start))
    const found = sumOf(recent)
    if (!isLower(found, before)) continue
    const middle = (shareOf(before) + shareOf(found)) / 2
    const clear = hours.filter(({ all }) => all >= minCasesOfHour)
    const well = clear.findLastIndex((hour) => shareOf(hour) > middle)
    if (clear.length > 0 && well === clear.length - 1) return undefined
    return { before, now: found, since: clear[well + 1]?.at ?? start }
  }
  return undefined
}

const ended: ReadonlySet<string> = new Set([
  "delivered",
  "undelivered",
  "failed",
  "rejected",
  "unknown",
])

/** A short window finds a failure early, a long one also where there are few messages. */
const deliveryWindows = [3, 24]

/** Codes are typed in some minutes later. */
const verificationWindows = [24]

const fallen = (
  code: "delivered_fell" | "verified_fell",
  page: "messages" | "verifications",
  fall: ReturnType<typeof fallOf>,
  others: Finding["parameters"] = {},
): ReadonlyArray<Finding> =>
  fall === undefined
    ? []
    : [
        {
          code,
          isUrgent: true,
          since: fall.since,
          target: { page, id: null },
          parameters: { ...others, before: perCent(fall.before), now: perCent(fall.now) },
        },
      ]

const deliveries = ({ now, totals }: Facts): ReadonlyArray<Finding> =>
  (["whatsapp", "sms"] satisfies ReadonlyArray<Channel>).flatMap((channel) => {
    const own = totals.filter((total) => total.kind === "messages" && total.channel === channel)
    const hours = hoursOf(
      own,
      ({ outcome }) => outcome === "delivered",
      ({ outcome }) => ended.has(outcome),
    )
    return fallen("delivered_fell", "messages", fallOf(hours, now, deliveryWindows), { channel })
  })

const verifications = ({ now, totals }: Facts): ReadonlyArray<Finding> => {
  const hours = hoursOf(
    totals.filter(({ kind }) => kind === "requests"),
    ({ outcome }) => outcome === "verified",
    ({ outcome }) => outcome === "opened",
  )
  return fallen("verified_fell", "verifications", fallOf(hours, now, verificationWindows))
}

/** Whole days for which the balance lasts at the spending of the last days; `undefined` without spending. */
export const daysLeft = ({
  balance,
  now,
  totals,
}: Pick<Facts, "balance" | "now" | "totals">): number | undefined => {
  const paid = totals.filter(({ at, kind }) => kind === "messages" && at >= now - spendingMillis)
  const spent = paid.reduce((sum, { amount, refunded }) => sum + amount - refunded, 0)
  const first = paid.find(({ amount }) => amount > 0)
  if (first === undefined || spent <= 0) return undefined
  const days = Math.max(1, (now - first.at) / dayMillis)
  return Math.max(0, Math.floor(balance / (spent / days)))
}

const balances = (facts: Facts): ReadonlyArray<Finding> => {
  const { balance, balanceLowAt } = facts
  const target = { page: "balance", id: null } as const
  const own = { since: null, target }
  const amount = Money.format(balance)
  const days = daysLeft(facts)
  if (balance <= 0 && days !== undefined)
    return [{ ...own, code: "balance_empty", isUrgent: true, parameters: { balance: amount } }]
  if (days !== undefined && days < fewDays) {
    const isUrgent = days < urgentDays
    return [{ ...own, code: "balance_days", isUrgent, parameters: { days, balance: amount } }]
  }
  if (balanceLowAt === null || balance >= balanceLowAt) return []
  const parameters = { balance: amount, lowAt: Money.format(balanceLowAt) }
  return [{ ...own, code: "balance_low", isUrgent: false, parameters }]
}

const gateways = (facts: Facts): ReadonlyArray<Finding> =>
  facts.gateways.flatMap(({ gateway, state }) =>
    state === "available"
      ? []
      : [
          {
            code: "gateway_paused",
            isUrgent: true,
            since: null,
            target: { page: "gateways", id: gateway },
            parameters: { gateway, state },
          } satisfies Finding,
        ],
  )

const webhooks = (facts: Facts): ReadonlyArray<Finding> =>
  facts.webhooks.flatMap(({ id, status, troubledSince, url }) => {
    const isOver = status !== "active"
    const isTroubled = troubledSince !== null && facts.now - troubledSince >= troubleMillis
    const target = { page: "webhooks", id } as const
    const parameters = { host: new URL(url).host, status }
    return isOver || isTroubled
      ? [
          {
            code: "webhook_failing" as const,
            isUrgent: isOver,
            since: troubledSince,
            target,
            parameters,
          },
        ]
      : []
  })

const retention = ({ keptMillis, now, oldestMessageAt }: Facts): ReadonlyArray<Finding> => {
  const late = oldestMessageAt === undefined ? 0 : now - oldestMessageAt - keptMillis
  if (late < lateMillis) return []
  const parameters = { days: Math.floor(late / dayMillis) }
  const target = { page: "settings", id: null } as const
  const since = now - late
  return [{ code: "retention_behind", isUrgent: false, since, target, parameters }]
}

const senders = ({ hasDefaultSender }: Facts): ReadonlyArray<Finding> =>
  hasDefaultSender
    ? []
    : [
        {
          code: "no_sender",
          isUrgent: true,
          since: null,
          target: { page: "senders", id: null },
          parameters: {},
        },
      ]

/** The findings, the urgent ones first. */
export const findings = (facts: Facts): ReadonlyArray<Finding> => {
  const found = [
    senders,
    gateways,
    deliveries,
    verifications,
    balances,
    webhooks,
    retention,
  ].flatMap((rule) => rule(facts))
  return found.toSorted(
    (a, b) =>
      Number(b.isUrgent) - Number(a.isUrgent) || codes.indexOf(a.code) - codes.indexOf(b.code),
  )
}
