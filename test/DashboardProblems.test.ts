/** The dashboard's sentences about fields, against the problems of the engine. */
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { assert, it } from "vitest"
import { bangla } from "../packages/dashboard/app/i18n/bn/bn.ts"
import { english } from "../packages/dashboard/app/i18n/en/en.ts"
import { makeFormat } from "../packages/dashboard/app/i18n/format.ts"
import { problemText } from "../packages/dashboard/app/ui/refusals.ts"

const languages = [
  { t: english, format: makeFormat("en") },
  { t: bangla, format: makeFormat("bn") },
]

/** A value for each parameter that a problem may have. */
const values = {
  min: 1,
  max: 20,
  days: 35,
  options: ["live", "test"],
  maxBytes: 1_024,
  plus: "required",
  channel: "sms",
  wholeDigits: 11,
  fractionDigits: 4,
  prefix: "refund:",
  kind: "top-up",
  amount: "12.5",
  entry: "10.0.0.300",
  limit: "attempts",
  address: "192.0.2.1",
  write: "60 seconds",
} as const

const isCode = (code: string): code is keyof typeof english.problem =>
  Object.hasOwn(english.problem, code)

const codes: ReadonlyArray<FieldProblem.Code> = Object.keys(english.problem).filter(isCode)

it.each(codes)("the dashboard has the values of a problem in both languages: %s", (code) => {
  const read = new Set<string>()
  const params = new Proxy(values, {
    get: (target, name, receiver): unknown => {
      read.add(String(name))
      return Reflect.get(target, name, receiver)
    },
  })
  const { message } = FieldProblem.make(code, params)
  const given = Object.fromEntries(Object.entries(values).filter(([name]) => read.has(name)))
  for (const words of languages)
    assert.notMatch(problemText({ code, message, params: given }, words), /[{}]/)
})
