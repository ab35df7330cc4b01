/** The limits of an organization, as people type them: `sendsPerNumber=10/minute`. */
import * as Input from "@countersign/core/api/Input"
import type { Limits } from "@countersign/core/api/types/limits"
import { overridesOf, plainLimits } from "@countersign/core/domain/limits/LimitOverrides"
import * as LimitTable from "@countersign/core/domain/limits/LimitTable"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Argument from "effect/cli/Argument"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { group, organizationCommand } from "../command.ts"
import { UsageError } from "../failures.ts"
import { printTable } from "../output.ts"

/** `10/minute`, or `10/5 minutes`. */
const windowOf = (text: string) => {
  const [, max, per = ""] = /^(\d+)\/(.*)$/.exec(text.trim()) ?? []
  if (max === undefined) return undefined
  return { max: Number(max), per: /^[a-z]+$/.test(per) ? `1 ${per}` : per }
}

/** The kinds of limits that are JSON, each with one as people type it. */
const ranges: ReadonlyMap<LimitTable.Kind, string> = new Map([
  ["range", '{"min":4,"max":8,"default":6}'],
  ["durationRange", '{"min":"1 minute","max":"10 minutes","default":"5 minutes"}'],
  ["cap", '{"max":200,"default":50}'],
])

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const valueOf = (kind: LimitTable.Kind, text: string): Result.Result<unknown, string> => {
  if (text === "none") return Result.succeed(null)
  if (kind === "money" || kind === "duration") return Result.succeed(text)
  if (/^[{[]/.test(text)) return Result.mapError(decodeJson(text), () => "is no JSON")
  const range = ranges.get(kind)
  if (range !== undefined) return Result.fail(`must be JSON such as ${range}`)
  if (kind === "window") {
    const windows = text.split(",").map(windowOf)
    return windows.includes(undefined)
      ? Result.fail("must be none, or such as 10/minute or 10/minute,100/2 days")
      : Result.succeed(windows.length === 1 ? windows[0] : windows)
  }
  return text.trim() !== "" && Number.isFinite(Number(text))
    ? Result.succeed(Number(text))
    : Result.fail("must be a number or none")
}

/** The limits that changes of the form `name=value` set, and those that `name=default` leaves to the host. */
const changesOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  let limits: Limits = {}
  const resetLimits: Array<LimitTable.PlainName> = []
  const wrong = (message: string) => new UsageError({ message })
  for (const change of texts) {
    const [, given = "", text = ""] = /^(\w+)=(.*)$/.exec(change) ?? []
    const name = LimitTable.names.find((one) => one === given)
    if (name === undefined) {
      return yield* wrong(`Write NAME=VALUE, with a name of ${LimitTable.names.join(", ")}.`)
    }
    if (text === "default") {
      resetLimits.push(name)
      continue
    }
    const value = valueOf(LimitTable.plainTable[name].kind, text)
    if (Result.isFailure(value)) return yield* wrong(`${name} ${value.failure}.`)
    limits = { ...limits, [name]: value.success }
  }
  return { limits, resetLimits }
})

const windowText = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  return "max" in value && "per" in value ? `${String(value.max)}/${String(value.per)}` : undefined
}

/** A limit as people type it. */
const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return "none"
  const all = Array.isArray(value) ? value.map(windowText) : [windowText(value)]
  return all.includes(undefined)
    ? typeof value === "object"
      ? JSON.stringify(value)
      : String(value)
    : all.join(",")
}

const printLimits = (limits: Limits) =>
  printTable(
    Object.entries(limits),
    [
      ["limit", ([name]) => name],
      ["value", ([, value]) => textOf(value)],
    ],
    "All limits are those of the host.",
    limits,
  )

const show = organizationCommand(
  "show",
  "Show the limits of an organization. The host sets the others",
  {},
  function* (id) {
    const { settings } = yield* Organizations.use((_) => _.get({ id }))
    yield* printLimits(plainLimits(settings.limits))
  },
)

const described = LimitTable.names
  .map((name) => `${name} (${LimitTable.plainTable[name].label})`)
  .join(", ")

const set = organizationCommand(
  "set",
  "Set limits of an organization: messagesPerOrganization=100/minute resendCooldown='1 minute' spendPerDay=500 attempts=default",
  {
    changes: Argument.String("change").pipe(
      Argument.withMetavar("NAME=VALUE"),
      Argument.withDescription(
        `${described}. A value of none removes the limit, default leaves it to the host`,
      ),
      Argument.atLeast(1),
    ),
  },
  function* (id, { changes }) {
    const read = yield* changesOf(changes)
    const limits = yield* Input.field("limits", Result.merge(overridesOf(read.limits)))
    const resetLimits = read.resetLimits.map(LimitTable.coreName)
    const { settings } = yield* Organizations.use((_) => _.update({ id, limits, resetLimits }))
    yield* printLimits(plainLimits(settings.limits))
  },
)

export const limits = group("limits", [show, set], "Limits of an organization")
