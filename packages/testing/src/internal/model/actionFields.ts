/** The fields that several actions of a history have. */
import * as fc from "fast-check"
import { type Among, brandNames, organizationNames, people } from "./scenario.ts"

export const rarely = <A, B>(usual: fc.Arbitrary<A>, rare: fc.Arbitrary<B>): fc.Arbitrary<A | B> =>
  fc.oneof<[fc.WeightedArbitrary<A>, fc.WeightedArbitrary<B>]>(
    { weight: 12, arbitrary: usual },
    { weight: 1, arbitrary: rare },
  )

export const node = fc.nat({ max: 1 })
export const org = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat({ max: organizationNames.length - 1 }) },
)
/** Few people, so that histories reach the limits. */
const person = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat({ max: people.length - 1 }) },
)
export const somebodyOrNobody = rarely(person, fc.constant(people.length))
export const channel = fc.oneof(
  { weight: 3, arbitrary: fc.constant("sms" as const) },
  { weight: 1, arbitrary: fc.constant("whatsapp" as const) },
)
export const key = fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 4 })
export const brand = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom(...brandNames) },
)

export const codeLength = rarely(
  fc.constantFrom(undefined, 4, 6, 10),
  fc.constantFrom(3, 11, 6.5, Number.NaN),
)
export const expirySeconds = rarely(
  fc.constantFrom(undefined, 60, 300, 3_600),
  fc.constantFrom(59, 3_601, 60.5, Infinity),
)

/** Few clients, so that some verify a number and others are strangers to it. */
export const client = fc.option(fc.nat({ max: 1 }), { nil: undefined, freq: 3 })
export const purpose = fc.constantFrom(undefined, undefined, undefined, "login" as const)
export const askedPurpose = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom("login" as const, "payment" as const) },
)

export const request = fc.nat({ max: 30 })
const otherOrg = fc.option(org, { nil: undefined, freq: 5 })

export const someOrg = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: otherOrg },
)

/** Mostly requests in the state that the action is for. */
export const mostly = (state: Among) => fc.constantFrom(state, state, state, "any" as const)

export const fewTimes = fc.constantFrom(1, 1, 1, 4)

/** An index. */
export const place = fc.nat({ max: 20 })

/** Whether an action is about numbers that clients have verified. */
export const known = fc.option(place, { nil: undefined, freq: 2 })
export const isKnown = fc.constantFrom(true, false, false)
