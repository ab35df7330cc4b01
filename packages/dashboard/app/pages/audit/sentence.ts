/** An entry of the audit as a sentence: "Amir raised Codes for one phone number from 5 to 10". */
import type { AuditRecord } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import type { audit } from "../../i18n/en/audit.ts"
import { changesOf, type Change, isEmpty } from "./changes.ts"

/** The words and formats of the reader. */
export interface Words {
  readonly t: (typeof audit)["audit"]
  /** The labels of limits. */
  readonly limits: Readonly<Record<string, string>>
  readonly number: (value: number) => string
  readonly time: (iso: string) => string
  /** A limit such as `10 in 1 minute` in the reader's language. */
  readonly limit: (text: string) => string
}

/** More changes of one entry than this are counted. */
const maxChanges = 3

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
  ["millisecond", 1],
] as const

const durationOf = (millis: number): string => {
  const [unit, length] = units.find(([, one]) => millis % one === 0) ?? units[4]
  const count = millis / length
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

interface Window {
  readonly max: number
  readonly windowMillis: number
}

const isWindow = (value: unknown): value is Window =>
  typeof value === "object" && value !== null && "max" in value && "windowMillis" in value

const isTime = (field: string): boolean => field.endsWith("At")

const isDuration = (field: string): boolean => /cooldown|retention|millis/i.test(field)

/** The name of a field for people. */
export const labelOf = ({ limits, t }: Words, field: string): string =>
  limits[field] ?? new Map<string, string>(Object.entries(t.fields)).get(field) ?? field

/** A value as people read it. */
export const valueText = (words: Words, field: string, value: unknown): string => {
  if (isEmpty(value)) return words.t.nothing
  if (value === true) return words.t.yes
  if (value === false) return words.t.no
  if (typeof value === "number") {
    if (isTime(field) && Math.abs(value) <= 8.64e15)
      return words.time(new Date(value).toISOString())
    return isDuration(field) ? words.limit(durationOf(value)) : words.number(value)
  }
  if (typeof value === "string") return value
  if (isWindow(value)) return words.limit(`${value.max} in ${durationOf(value.windowMillis)}`)
  if (Array.isArray(value)) return value.map((one) => valueText(words, field, one)).join(", ")
  if (field === "prefixReasons" && typeof value === "object" && value !== null)
    return Object.entries(value)
      .map(([prefix, reason]) => `${prefix}: ${String(reason)}`)
      .join(", ")
  return JSON.stringify(value)
}

/** The number that a change makes larger or smaller; `undefined` for other values. */
const sizeOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  if (isWindow(value)) return value.max
  return typeof value === "string" && /^-?\d+\.\d{2}$/.test(value) ? Number(value) : undefined
}

const verbOf = ({
  after,
  before,
  field,
}: Change): "set" | "cleared" | "raised" | "lowered" | "changed" => {
  if (isEmpty(before)) return "set"
  if (isEmpty(after)) return "cleared"
  const [was, is] = [sizeOf(before), sizeOf(after)]
  const isOfOneWindow =
    !isWindow(before) || !isWindow(after) || before.windowMillis === after.windowMillis
  if (isTime(field) && field !== "balanceLowAt") return "changed"
  if (was === undefined || is === undefined || was === is || !isOfOneWindow) return "changed"
  return is > was ? "raised" : "lowered"
}

const changeText = (words: Words, change: Change): string => {
  const { after, before, field } = change
  if (field === "isSuspended") return after === true ? words.t.suspended : words.t.resumed
  return fill(words.t[verbOf(change)], {
    field: labelOf(words, field),
    before: valueText(words, field, before),
    after: valueText(words, field, after),
  })
}

/** The name of the changed thing: its own, else what it is found by, else its id. */
export const targetOf = ({ after, before, target }: AuditRecord): string => {
  const values = after ?? before ?? {}
  const name = ["name", "url", "sender", "value"]
    .map((field) => values[field])
    .find((value) => typeof value === "string" && value !== "")
  return typeof name === "string" ? name : (target ?? "")
}

export const actorOf = ({ t }: Words, { actor, actorName }: AuditRecord): string =>
  actorName ?? (actor === "host" ? t.host : actor)

/** The actions that show what they have changed. */
const isChange = (action: string): boolean =>
  action.endsWith(".changed") || action.startsWith("account.")

export const sentenceOf = (words: Words, entry: AuditRecord): string => {
  const { t } = words
  const actions = new Map<string, string>(Object.entries(t.actions))
  const changes = isChange(entry.action) ? changesOf(entry) : []
  const parts = changes.slice(0, maxChanges).map((change) => changeText(words, change))
  const rest = changes.length - parts.length
  if (rest > 0) parts.push(fill(t.more, { count: words.number(rest) }))
  const target = targetOf(entry)
  const done = fill(actions.get(entry.action) ?? t.other, { action: entry.action, target })
  // The settings of an organization are what the page is about.
  const said =
    entry.action === "organization.changed" && parts.length > 0
      ? parts.join("; ")
      : [done, ...(parts.length > 0 ? [`(${parts.join("; ")})`] : [])].join(" ")
  return `${actorOf(words, entry)} ${said}`
}
