/**
 * The names and types of the options, checked for callers in JavaScript. The code that uses a value checks its
 * meaning and its bounds.
 */
import type { AdminOptions } from "@countersign/http/AdminOptions"
import type { ProofOptions } from "@countersign/proofs/ProofOptions"
import { refuse } from "./check.ts"
import type { CountersignOptions, TextLines } from "../types/options.ts"
import type { Limits, Range, TimeSpan, WindowLimit } from "@countersign/core/codec/Data"

/** The types of single values, as they stand in a message. */
type Kind =
  | "a text"
  | "a number"
  | "a number or a text"
  | "true or false"
  | "a function"
  | "anything"

type Shape = Kind | ListOf | OrList | OrNull | { readonly [name: string]: Shape }

type ListOf = readonly [item: Shape]

type OrList = readonly [item: Shape, orList: "or a list"]

type OrNull = readonly [value: Shape, orNull: null]

type Names<A> = A extends unknown ? keyof A : never

type At<A, K extends PropertyKey> = A extends { readonly [P in K]?: unknown } ? A[K] : never

/** The shape that describes a type, so that a shape with another name or type does not compile. */
type ShapeOf<A> = unknown extends A
  ? "anything"
  : null extends A
    ? readonly [ShapeOf<Exclude<A, null>>, null]
    : [A] extends [string]
      ? "a text"
      : [A] extends [number]
        ? "a number"
        : [A] extends [boolean]
          ? "true or false"
          : [A] extends [(...args: never) => unknown]
            ? "a function"
            : [A] extends [TimeSpan]
              ? "a number or a text"
              : [A] extends [ReadonlyArray<infer Item>]
                ? readonly [ShapeOf<Item>]
                : [Extract<A, ReadonlyArray<unknown>>] extends [never]
                  ? { readonly [K in Names<A>]: ShapeOf<Exclude<At<A, K>, undefined>> }
                  : readonly [ShapeOf<Exclude<A, ReadonlyArray<unknown>>>, "or a list"]

/** Options that the code that reads them checks. */
type Checked = Omit<CountersignOptions, "clock" | "gateways" | "pepper" | "proofs"> & {
  readonly clock: unknown
  readonly gateways: unknown
  readonly pepper: unknown
  readonly proofs: Omit<ProofOptions, "keys"> & { readonly keys: ReadonlyArray<unknown> }
}

const text = "a text"
const number = "a number"
const flag = "true or false"
const run = "a function"
const anything = "anything"

const limit: ShapeOf<WindowLimit | null> = [
  [{ max: number, per: "a number or a text", windowMillis: number }, "or a list"],
  null,
]
const range: ShapeOf<Range> = { default: number, max: number, min: number }

const limits: ShapeOf<Limits> = {
  attempts: number,
  checksPerClient: limit,
  checksPerOrganization: limit,
  checksPerRequest: limit,
  codeLength: range,
  expirySeconds: range,
  guessesPerNumber: limit,
  guessesSinceSuccess: [number, null],
  messageLength: number,
  messagesPerOrganization: limit,
  pageSize: { default: number, max: number },
  pendingPerNumber: number,
  resendCooldownMillis: number,
  resends: number,
  sendsPerClient: limit,
  sendsPerNumber: limit,
  spendPerDay: [text, null],
}

const textLines: ShapeOf<TextLines> = { androidHash: text, domain: text }

const options: ShapeOf<Checked> = {
  callbacks: {
    basePath: text,
    maxBodyBytes: number,
    maxRequests: number,
    publicUrl: text,
  },
  clock: anything,
  codeChannels: [text],
  commits: text,
  countries: [text],
  dataDir: text,
  database: text,
  fallback: { reportWithinSeconds: number, whatsappFirst: flag },
  fraud: {
    action: text,
    maxSent: number,
    minConversion: number,
    minSent: number,
    prefixDigits: number,
    windowSeconds: number,
  },
  gateways: anything,
  http: {
    basePath: text,
    documentation: flag,
    graceMillis: number,
    guardAllEndpoints: flag,
    maxBodyBytes: number,
    maxRequests: number,
    maxRequestsPerKey: number,
    trustedProxies: [text],
  },
  limits,
  log: run,
  maxConnections: number,
  migrate: flag,
  numberKeys: [{ id: text, secret: text }],
  partitions: number,
  pepper: anything,
  profile: text,
  prices: { currency: text, of: run, per: text, sms: text, whatsapp: text },
  proofs: { audience: text, issuer: text, keys: [anything], lifetimeSeconds: number },
  records: { audit: flag, bodies: flag, events: flag, totals: flag },
  retention: {
    auditDays: number,
    eventsDays: number,
    findingsDays: number,
    messagesDays: number,
    totalsDays: number,
    verificationsDays: number,
  },
  routing: {
    barredSeconds: number,
    budgetSeconds: number,
    failures: number,
    leftAloneSeconds: number,
    notOnWhatsAppSeconds: number,
    routes: [
      {
        channels: [text],
        gateway: text,
        organizations: [text],
        prefixes: [text],
        priority: number,
        purposes: [text],
        senders: [text],
        weight: number,
      },
    ],
  },
  schema: text,
  senders: {
    sms: text,
    whatsapp: text,
  },
  settleAfterSeconds: number,
  testNumbers: {
    allowInProduction: flag,
    bypassLimits: flag,
    numbers: [{ code: text, phoneNumber: text, outcome: text }],
    production: flag,
  },
  texts: {
    ...textLines,
    locales: [text],
    render: run,
    templates: [
      {
        ...textLines,
        brandName: text,
        locale: text,
        organization: text,
        text: run,
      },
    ],
  },
  webhooks: { allowHttp: flag, allowPrivateAddresses: flag, deliver: flag },
}

/** Returns the edit distance: the number of characters to change, add or remove to turn one text into the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [place, wanted] of [...other].entries()) {
      const replaced = (row[place] ?? 0) + Number(letter !== wanted)
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const nearest = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const ranked = names
    .map((one) => ({ one, away: distance(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.away - b.away)
  const [best] = ranked
  return best !== undefined && best.away <= Math.max(1, name.length / 2) ? best.one : undefined
}

/** Refuses an unknown name, and suggests the one that was probably meant. */
export const refuseName = (path: ReadonlyArray<string>, names: ReadonlyArray<string>): never => {
  const meant = nearest(path.at(-1) ?? "", names)
  const said = `${path.join(".")} is not an option`
  return refuse(meant === undefined ? said : `${said}; did you mean ${meant}?`)
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isOfKind: { readonly [K in Kind]: (value: unknown) => boolean } = {
  "a text": (value) => typeof value === "string",
  "a number": (value) => typeof value === "number",
  "a number or a text": (value) => typeof value === "number" || typeof value === "string",
  "true or false": (value) => typeof value === "boolean",
  "a function": (value) => typeof value === "function",
  anything: () => true,
}

/** Never quotes a value, which may be a secret. */
const refuseType = (path: ReadonlyArray<string>, expected: string): never =>
  refuse(`${path.length === 0 ? "the options" : path.join(".")} must be ${expected}`)

const isTuple = (shape: Shape): shape is ListOf | OrList | OrNull => Array.isArray(shape)

const check = (shape: Shape, value: unknown, path: ReadonlyArray<string>, orNull = ""): void => {
  if (typeof shape === "string") {
    if (!isOfKind[shape](value)) refuseType(path, `${shape}${orNull}`)
  } else if (!isTuple(shape)) {
    if (!isObject(value)) return refuseType(path, `an object${orNull}`)
    const fields = new Map(Object.entries(shape))
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      const field = fields.get(name) ?? refuseName([...path, name], [...fields.keys()])
      check(field, member, [...path, name])
    }
  } else if (shape[1] === "or a list") {
    const isList = Array.isArray(value)
    check(
      isList ? [shape[0]] : shape[0],
      value,
      path,
      orNull === "" ? " or a list" : `, a list${orNull}`,
    )
  } else if (shape.length === 2) {
    if (value !== null) check(shape[0], value, path, " or null")
  } else {
    if (!Array.isArray(value)) return refuseType(path, `a list${orNull}`)
    for (const [index, item] of value.entries()) check(shape[0], item, [...path, String(index)])
  }
}

/** Refuses unknown names and values of the wrong type, at every level. */
export const checkOptions = (value: unknown): void => check(options, value, [])

const adminOptions = {
  authorize: "a function",
  pages: { file: "a function", isPublic: "a function" },
  basePath: text,
  hosts: [text],
  maxStreams: "a number",
  isProduction: "true or false",
  inboxUrl: text,
} as const satisfies ShapeOf<AdminOptions>

/** The same for the admin API, which is never open. */
export const checkAdminOptions = (value: AdminOptions): void => {
  check(adminOptions, value, ["admin"])
  if (value.authorize === undefined) {
    refuse("admin.authorize must be a function: it decides who may use the admin API")
  }
}
