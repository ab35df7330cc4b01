/**
 * The schema of the options: their names and types. The code that uses a value checks its meaning and its
 * bounds.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { refuse } from "./check.ts"
import type { RoutingOptions, Route } from "./gatewayTypes.ts"
import type * as Options from "./optionTypes.ts"
import type { Limit, Limits, Range } from "./types.ts"

type Shape = Schema.Decoder<unknown>

/** Requires a schema for each option, and for nothing else. */
type Fields<A> = { readonly [K in keyof A]-?: Shape }

const text = Schema.String.annotate({ expected: "a text" })
const number = Schema.Number.annotate({ expected: "a number" })
const flag = Schema.Boolean.annotate({ expected: "true or false" })
const run = Schema.declare(
  (value: unknown): value is (...args: ReadonlyArray<never>) => unknown =>
    typeof value === "function",
  { expected: "a function" },
)
/** Checked by the code that reads it. */
const anything = Schema.Unknown

const list = (item: Shape) => Schema.Array(item).annotate({ expected: "a list" })

const object = <A>(fields: Fields<A>) => {
  const optional = Object.entries<Shape>(fields).map(
    ([name, field]) => [name, Schema.optionalKey(field)] as const,
  )
  return Schema.Struct(Object.fromEntries(optional)).annotate({ expected: "an object" })
}

const orNull = (schema: Shape, expected: string) =>
  Schema.NullOr(schema).annotate({ message: `must be ${expected} or null` })

const limit = orNull(object<Limit>({ max: number, windowMillis: number }), "an object")
const range = object<Range>({ default: number, max: number, min: number })

const limits = object<Limits>({
  attempts: number,
  checksPerOrganization: limit,
  codeLength: range,
  expirySeconds: range,
  messageLength: number,
  messagesPerOrganization: limit,
  pageSize: object<NonNullable<Limits["pageSize"]>>({ default: number, max: number }),
  pendingPerNumber: number,
  sendsPerNumber: limit,
  spendPerDay: orNull(text, "a text"),
})

const textLines: Fields<Options.TextLines> = { androidHash: text, domain: text }

const options = object<Options.CountersignOptions>({
  callbacks: object<Options.CallbackOptions>({
    basePath: text,
    maxBodyBytes: number,
    maxRequests: number,
    publicUrl: text,
  }),
  clock: anything,
  commits: text,
  countries: list(text),
  dataDir: text,
  database: text,
  fallback: object<Options.FallbackOptions>({ reportWithinSeconds: number, whatsappFirst: flag }),
  fraud: object<Options.FraudRules>({
    action: text,
    maxSent: number,
    minConversion: number,
    minSent: number,
    prefixDigits: number,
    windowSeconds: number,
  }),
  gateways: anything,
  http: object<Options.HttpOptions>({
    basePath: text,
    documentation: flag,
    graceMillis: number,
    guardAllEndpoints: flag,
    maxBodyBytes: number,
    maxRequests: number,
    maxRequestsPerKey: number,
    trustedProxies: list(text),
  }),
  limits,
  log: run,
  maxConnections: number,
  migrate: flag,
  partitions: number,
  pepper: anything,
  prices: object<Options.Prices>({ currency: text, of: run, per: text, sms: text, whatsapp: text }),
  retention: object<NonNullable<Options.CountersignOptions["retention"]>>({
    findingsDays: number,
    messagesDays: number,
    verificationsDays: number,
  }),
  routing: object<RoutingOptions>({
    barredSeconds: number,
    budgetSeconds: number,
    failures: number,
    leftAloneSeconds: number,
    notOnWhatsAppSeconds: number,
    routes: list(
      object<Route>({
        channels: list(text),
        gateway: text,
        organizations: list(text),
        prefixes: list(text),
        priority: number,
        purposes: list(text),
        senders: list(text),
        weight: number,
      }),
    ),
  }),
  schema: text,
  senders: object<NonNullable<Options.CountersignOptions["senders"]>>({
    sms: text,
    whatsapp: text,
  }),
  settleAfterSeconds: number,
  testNumbers: object<Options.TestNumbers>({
    allowInProduction: flag,
    bypassLimits: flag,
    numbers: list(object<Options.TestNumber>({ code: text, phoneNumber: text, outcome: text })),
    production: flag,
  }),
  texts: object<
    Options.TextLines & {
      readonly locales: unknown
      readonly render: unknown
      readonly templates: unknown
    }
  >({
    ...textLines,
    locales: list(text),
    render: run,
    templates: list(
      object<Options.TextTemplate>({
        ...textLines,
        brandName: text,
        locale: text,
        organization: text,
        text: run,
      }),
    ),
  }),
})

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

/** Returns the name that was probably meant. */
const nearest = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const ranked = names
    .map((one) => ({ one, away: distance(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.away - b.away)
  const [best] = ranked
  return best !== undefined && best.away <= Math.max(1, name.length / 2) ? best.one : undefined
}

const unknownName = "is not an option"

/** Returns a sentence about the problem. Never quotes a value, which may be a secret. */
const sentence: SchemaIssue.LeafHook = (issue) => {
  switch (issue._tag) {
    case "InvalidType":
      return `must be ${String(issue.ast.annotations?.["expected"])}`
    case "UnexpectedKey":
      return unknownName
    default:
      return "is not valid"
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: sentence })

const memberOf = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast._tag === "Union" ? (ast.types[0] ?? ast) : ast

const stepInto = (ast: SchemaAST.AST, step: string): SchemaAST.AST => {
  if (ast._tag === "Arrays") return ast.rest[0] ?? ast
  if (ast._tag !== "Objects") return ast
  return ast.propertySignatures.find(({ name }) => name === step)?.type ?? ast
}

/** Returns the valid names at the path of an unknown name. */
const namesAt = (path: ReadonlyArray<string>): ReadonlyArray<string> => {
  let ast = memberOf(options.ast)
  for (const step of path) ast = memberOf(stepInto(ast, step))
  return ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** Removes members that are `undefined`, because they mean that the option is not given. */
const given = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(given)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [[name, given(one)]])),
  )
}

/** Refuses an unknown name, and suggests the one that was probably meant. */
export const refuseName = (path: ReadonlyArray<string>, names: ReadonlyArray<string>): never => {
  const meant = nearest(path.at(-1) ?? "", names)
  const said = `${path.join(".")} is not an option`
  return refuse(meant === undefined ? said : `${said}; did you mean ${meant}?`)
}

/** Removes clocks, gateways and peppers, which the code that reads them checks. */
const withoutOthers = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value, clock: undefined, gateways: undefined, pepper: undefined }
    : value

/** Refuses unknown names and values of the wrong type, at every level. */
export const checkOptions = (value: unknown): void => {
  const decoded = Schema.decodeUnknownResult(options, { onExcessProperty: "error" })(
    given(withoutOthers(value)),
  )
  if (Result.isSuccess(decoded)) return
  const [found] = format(decoded.failure.issue).issues
  const path = (found?.path ?? []).map(String)
  if (found?.message === unknownName) refuseName(path, namesAt(path.slice(0, -1)))
  refuse(`${path.length === 0 ? "the options" : path.join(".")} ${found?.message}`)
}
