/**
 * The table of limits: one row for each. Types, validation, stored settings, the admin API, the CLI, the dashboard's
 * texts and the documents follow from it.
 *
 * Stored settings have these names. `plainNames` has the names for callers where they differ. Operators change the
 * limits of organizations, and the host changes the limits of all others. A tenant changes no limits.
 */
import * as Struct from "effect/Struct"
import type { Money } from "../values/Money.ts"
import type { Range } from "./LimitValues.ts"
import { type Limit, maxTracked, type WindowLimit } from "./SlidingWindow.ts"

/** The value of a limit, by its kind. Durations are milliseconds, ranges of durations are seconds. */
interface Values {
  /** A number of events in a window. */
  readonly window: WindowLimit
  readonly count: number
  readonly money: Money
  readonly duration: number
  /** The values that callers choose from. */
  readonly range: Range
  readonly durationRange: Range
  /** A range without a lower bound. */
  readonly cap: Omit<Range, "min">
}

export type Kind = keyof Values

export interface Bounds {
  readonly min: number
  readonly max: number
}

interface RowOf<K extends Kind, None extends boolean> {
  readonly kind: K
  /** `undefined`: no limit. */
  readonly default: Values[K] | (None extends true ? undefined : never)
  /** Bounds of an organization's own limit. They keep every row and every answer bounded. */
  readonly bounds: Bounds
  /** Whether an organization may have no such limit. */
  readonly canBeNone: None
  /** The name in the dashboard. */
  readonly label: string
  /** The events or the values that the limit counts or bounds. */
  readonly meaning: string
}

export type Row = { readonly [K in Kind]: RowOf<K, boolean> }[Kind]

const limit = <K extends Kind, const None extends boolean>(row: RowOf<K, None>): RowOf<K, None> =>
  row

/** Bounds that all windows have. */
export const windowBounds = {
  /** Limits that one window may have at the same time. */
  windowLimits: { min: 1, max: 4 },
  /** Up to 31 days. */
  windowMillis: { min: 1, max: 2_678_400_000 },
} satisfies Record<string, Bounds>

/** Its bounds are for the number of events; 0 rejects all events permanently. */
const window = (
  row: Pick<RowOf<"window", true>, "default" | "label" | "meaning">,
): RowOf<"window", true> => ({
  kind: "window",
  bounds: { min: 0, max: maxTracked },
  canBeNone: true,
  ...row,
})

/** The ten requests in a minute with three attempts each fit in. */
export const thirtyADay: Limit = { max: 30, windowMillis: 86_400_000 }

export const limitTable = {
  sendsPerNumber: window({
    default: { max: 10, windowMillis: 60_000 },
    label: "Codes for one phone number",
    meaning: "Codes for one phone number.",
  }),
  pendingPerNumber: limit({
    kind: "count",
    default: 5,
    bounds: { min: 1, max: maxTracked },
    canBeNone: false,
    label: "Pending codes for one phone number",
    meaning: "Pending codes for one phone number.",
  }),
  checksPerOrganization: window({
    default: { max: 20, windowMillis: 60_000 },
    label: "Checks of the organization",
    meaning:
      "Checks of one organization. Hosts with a single organization start without this limit.",
  }),
  sendsPerClient: window({
    default: undefined,
    label: "Codes that one client requests",
    meaning: "Codes that one client requests, over all phone numbers: see `client`.",
  }),
  checksPerClient: window({
    default: undefined,
    label: "Checks of one client",
    meaning: "Checks of one client, over all phone numbers.",
  }),
  checksPerRequest: window({
    default: undefined,
    label: "Checks of one request",
    meaning: "Checks of one request: its share of `checksPerOrganization`.",
  }),
  guessesPerNumber: window({
    default: thirtyADay,
    label: "Wrong codes for one phone number",
    meaning: "Wrong codes for one phone number, over all of its requests.",
  }),
  guessesSinceSuccess: limit({
    kind: "count",
    default: 100,
    bounds: { min: 1, max: 100_000 },
    canBeNone: true,
    label: "Wrong codes since the last right one",
    meaning:
      "Wrong codes for one phone number since its last right one. Then its checks are refused until you call `verifications.resetGuesses`.",
  }),
  messagesPerOrganization: window({
    default: undefined,
    label: "Messages of the organization",
    meaning: "Messages of one organization, without codes.",
  }),
  spendPerDay: limit({
    kind: "money",
    default: undefined,
    // 0 allows only free messages.
    bounds: { min: 0, max: Number.MAX_SAFE_INTEGER },
    canBeNone: true,
    label: "Amount that may be spent in a day (UTC)",
    meaning:
      "Amount that one organization may spend in a UTC day, a decimal. Refunds on the same day do not count.",
  }),
  attempts: limit({
    kind: "count",
    default: 3,
    bounds: { min: 1, max: 100 },
    canBeNone: false,
    label: "Wrong codes after which a request fails",
    meaning: "Wrong codes after which a request fails.",
  }),
  resends: limit({
    kind: "count",
    default: 3,
    bounds: { min: 0, max: 20 },
    canBeNone: false,
    label: "Resends of one request",
    meaning: "How often the code of one request can be sent again.",
  }),
  resendCooldownMillis: limit({
    kind: "duration",
    default: 30_000,
    // Up to an hour.
    bounds: { min: 0, max: 3_600_000 },
    canBeNone: false,
    label: "Time before a code is sent again",
    meaning: "Minimum time before a code is sent again when a caller asks for it.",
  }),
  codeLength: limit({
    kind: "range",
    default: { min: 4, max: 10, default: 6 },
    // Numbers of more than 15 digits are not exact.
    bounds: { min: 4, max: 15 },
    canBeNone: false,
    label: "Digits of a code",
    meaning: "How many digits a code has.",
  }),
  expirySeconds: limit({
    kind: "durationRange",
    default: { min: 60, max: 3_600, default: 300 },
    // Up to a day.
    bounds: { min: 1, max: 86_400 },
    canBeNone: false,
    label: "Validity of a code",
    meaning: "How long a code is valid, in whole seconds.",
  }),
  messageLength: limit({
    kind: "count",
    default: 1_600,
    bounds: { min: 1, max: 100_000 },
    canBeNone: false,
    label: "Characters of a message",
    meaning: "Characters of a message, in UTF-16 units.",
  }),
  pageSize: limit({
    kind: "cap",
    default: { max: 200, default: 50 },
    bounds: { min: 1, max: 1_000 },
    canBeNone: false,
    label: "Messages in a page",
    meaning: "How many messages a page of the log has.",
  }),
}

type Table = typeof limitTable

export type LimitName = keyof Table

/** The names of the limits of a kind. */
export type NameOf<K extends Kind> = {
  readonly [Name in LimitName]: Table[Name]["kind"] extends K ? Name : never
}[LimitName]

export const namesOf = <K extends Kind>(kind: K): ReadonlyArray<NameOf<K>> =>
  Struct.keys(limitTable).filter((name): name is NameOf<K> => limitTable[name].kind === kind)

/** The names for callers, where they differ from the names of stored settings. */
const plainNames = { resendCooldownMillis: "resendCooldown", expirySeconds: "expiresIn" } as const

/** The table with the names for callers. */
export const plainTable = Struct.renameKeys(limitTable, plainNames)

export type PlainName = keyof typeof plainTable

/** The names for callers. */
export const names: ReadonlyArray<PlainName> = Struct.keys(plainTable)

export const plainName = (name: LimitName): PlainName =>
  name === "resendCooldownMillis" || name === "expirySeconds" ? plainNames[name] : name

/** The name in stored settings. */
export const coreName = (name: PlainName): LimitName => {
  if (name === "resendCooldown") return "resendCooldownMillis"
  return name === "expiresIn" ? "expirySeconds" : name
}

/** The value of a limit. `None`: the value that stands for no limit. */
export type ValueOf<Name extends LimitName, None> =
  | Values[Table[Name]["kind"]]
  | (Table[Name]["canBeNone"] extends true ? None : never)
