/** Generates checks of codes, and uses of requests. */
import * as fc from "fast-check"
import {
  askedPurpose,
  client,
  fewTimes,
  isKnown,
  key,
  mostly,
  node,
  purpose,
  request,
  someOrg,
} from "./actionFields.ts"
import type { TypedCode } from "./scenario.ts"

const typedCode = fc.oneof(
  { weight: 3, arbitrary: fc.constant("right" as const) },
  { weight: 4, arbitrary: fc.constant("wrong" as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<TypedCode>("spaced", "bangla", "letters", "empty", "long"),
  },
)

export const check = fc.record({
  tag: fc.constant("check" as const),
  node,
  org: someOrg,
  request,
  among: mostly("pending"),
  by: fc.constantFrom("request" as const, "request" as const, "number" as const),
  purpose: askedPurpose,
  code: typedCode,
  key,
  client,
  isKnown,
  count: fc.oneof(
    { weight: 5, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 24 }) },
  ),
})

/** A code for one of the first requests, so that histories reach the budgets of wrong codes. */
export const guess = fc.record({
  tag: fc.constant("check" as const),
  node,
  org: fc.constant(undefined),
  request: fc.nat({ max: 2 }),
  among: fc.constant("any" as const),
  by: fc.constant("request" as const),
  purpose: fc.constant(undefined),
  code: fc.constantFrom("wrong" as const, "wrong" as const, "right" as const),
  key: fc.constant(undefined),
  client,
  isKnown,
  count: fc.constant(1),
})

export const consume = fc.record({
  tag: fc.constant("consume" as const),
  node,
  org: someOrg,
  request,
  among: mostly("verified"),
  purpose: askedPurpose,
  key,
  count: fewTimes,
})

export const verifyCode = fc.record({
  tag: fc.constant("verifyCode" as const),
  node,
  org: someOrg,
  request,
  among: mostly("pending"),
  purpose,
  code: typedCode,
  key,
  client,
  isKnown,
  count: fewTimes,
})

/** The code of a request that an earlier check has verified. */
export const verifyAgain = fc.record({
  tag: fc.constant("verifyCode" as const),
  node,
  org: fc.constant(undefined),
  request: fc.nat({ max: 2 }),
  among: fc.constant("verified" as const),
  purpose: fc.constant(undefined),
  code: fc.constantFrom("wrong" as const, "wrong" as const, "right" as const),
  key: fc.constant(undefined),
  client,
  isKnown,
  count: fc.constant(1),
})
