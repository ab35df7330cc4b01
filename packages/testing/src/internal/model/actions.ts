/**
 * Generates histories: mostly valid actions, some invalid ones, and clock changes around the relevant
 * moments.
 */
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import { bounds } from "@countersign/core/domain/limits/Limits"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import { verificationStates } from "@countersign/core/domain/verifications/VerificationState"
import type { Kind } from "@countersign/core/decide/maintenance/Pruning"
import * as fc from "fast-check"
import { outboxActions } from "./outboxActions.ts"
import {
  type Action,
  action,
  addresses,
  allowLists,
  type Among,
  brandNames,
  gatewayTimeoutMillis,
  leaseMillis,
  often,
  organizationNames,
  people,
  prefixLists,
  type Purpose,
  type RetriedTag,
  settleMillis,
  type TypedCode,
} from "./scenario.ts"

const none = fc.constant(undefined)
const once = fc.constant(1)
/** An index. */
const place = fc.nat({ max: 20 })

const node = fc.nat({ max: 1 })
const org = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat({ max: organizationNames.length - 1 }) },
)
/** Few people, so that histories reach the limits. */
const person = often(1, fc.constant(0), fc.nat({ max: people.length - 1 }))
const anyPerson = fc.nat({ max: people.length - 1 })
const somebodyOrNobody = often(12, person, fc.constant(people.length))
const channel = often(3, fc.constant("sms" as const), fc.constant("whatsapp" as const))
const key = fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 4 })
const brand = fc.oneof(
  { weight: 8, arbitrary: none },
  { weight: 2, arbitrary: fc.constantFrom(...brandNames) },
)
/** Few clients, so that some verify a number and others are strangers to it. */
const client = fc.option(fc.nat({ max: 1 }), { nil: undefined, freq: 3 })
/** Whether an action is about numbers that clients have verified. */
const known = fc.option(place, { nil: undefined, freq: 2 })
const isKnown = fc.constantFrom(true, false, false)
const purpose = fc.constantFrom<Purpose>(undefined, undefined, undefined, "login")
const askedPurpose = fc.oneof(
  { weight: 9, arbitrary: none },
  { weight: 2, arbitrary: fc.constantFrom("login" as const, "payment" as const) },
)
const request = fc.nat({ max: 30 })
const someOrg = often(8, none, fc.option(org, { nil: undefined, freq: 5 }))
/** Mostly requests in the state that the action is for. */
const mostly = (state: Among) => fc.constantFrom(state, state, state, "any" as const)
export const fewTimes = fc.constantFrom(1, 1, 1, 4)

const advance = action("advance", {
  millis: fc.oneof(
    fc.constantFrom(
      1,
      999,
      1_000,
      gatewayTimeoutMillis,
      30_000,
      59_999,
      60_000,
      leaseMillis,
      settleMillis,
      // The longest time for which requests of a phone number are counted.
      bounds.windowMillis.max + 1,
    ),
    fc.nat({ max: 90_000 }),
  ),
})

const until = action("until", {
  moment: fc.constantFrom(
    "expiry",
    "minute",
    "lease",
    "deadline",
    "resend",
    "resend",
    "follow",
    "key",
  ),
  index: fc.nat({ max: 40 }),
  offset: fc.integer({ min: -1, max: 0 }),
})

const verify = action("verify", {
  node,
  org,
  person: somebodyOrNobody,
  channel,
  codeLength: often<number | undefined>(
    12,
    fc.constantFrom(undefined, 4, 6, 10),
    fc.constantFrom(3, 11, 6.5, Number.NaN),
  ),
  expirySeconds: often<number | undefined>(
    12,
    fc.constantFrom(undefined, 60, 300, 3_600),
    fc.constantFrom(59, 3_601, 60.5, Infinity),
  ),
  brand,
  purpose,
  key,
  client,
  known,
  count: once,
})

/** Concurrent sends go only to people without a delay. */
const manyVerify = action("verify", {
  node,
  org,
  person: fc.nat({ max: 2 }),
  channel,
  codeLength: none,
  expirySeconds: fc.constantFrom(60, 300),
  brand: none,
  purpose,
  key: none,
  client: none,
  known,
  count: fc.integer({ min: 2, max: 14 }),
})

const typedCode = fc.oneof(
  { weight: 3, arbitrary: fc.constant<TypedCode>("right") },
  { weight: 4, arbitrary: fc.constant<TypedCode>("wrong") },
  {
    weight: 1,
    arbitrary: fc.constantFrom<TypedCode>("spaced", "bangla", "letters", "empty", "long"),
  },
)

const check = action("check", {
  node,
  org: someOrg,
  request,
  among: mostly("pending"),
  by: fc.constantFrom("request", "request", "number"),
  purpose: askedPurpose,
  code: typedCode,
  key,
  client,
  isKnown,
  count: often(5, once, fc.integer({ min: 2, max: 24 })),
})

/** A code for one of the first requests, by its client. */
const early = {
  node,
  org: none,
  request: fc.nat({ max: 2 }),
  purpose: none,
  code: fc.constantFrom<TypedCode>("wrong", "wrong", "right"),
  key: none,
  client,
  isKnown,
  count: once,
}

/** A code for one of the first requests, so that histories reach the budgets of wrong codes. */
const guess = action("check", {
  ...early,
  among: fc.constant("any"),
  by: fc.constant("request"),
})

const verifyCode = action("verifyCode", {
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
const verifyAgain = action("verifyCode", { ...early, among: fc.constant("verified") })

const consume = action("consume", {
  node,
  org: someOrg,
  request,
  among: mostly("verified"),
  purpose: askedPurpose,
  key,
  count: fewTimes,
})

const resend = action("resend", {
  node,
  org: someOrg,
  request,
  among: mostly("pending"),
  channel: fc.constantFrom(undefined, "sms", "whatsapp"),
  key,
  client,
  isKnown,
  count: fewTimes,
})

const cancel = action("cancel", {
  node,
  org: someOrg,
  request,
  among: mostly("pending"),
  key,
  count: fewTimes,
})

const retry = action("retry", {
  node,
  of: fc.constantFrom<RetriedTag>("message", "verify", "resend", "consume", "verifyCode"),
  call: fc.nat({ max: 20 }),
  isOther: fc.constantFrom(false, false, true),
})

const message = action("message", {
  node,
  org,
  person: somebodyOrNobody,
  channel,
  brand,
  text: often(
    12,
    fc.constantFrom("Your parcel is here", "আপনার পার্সেল এসেছে 📦"),
    fc.constantFrom("", "x".repeat(1_601)),
  ),
  key,
  address: fc.constantFrom(...addresses),
  count: once,
})

const manyMessages = action("message", {
  node,
  org,
  person: fc.nat({ max: 2 }),
  channel: fc.constant("sms"),
  brand: none,
  text: fc.constant("to all"),
  key: none,
  address: none,
  count: fc.integer({ min: 2, max: 12 }),
})

const around = fc.integer({ min: -1, max: 1 })

const list = action("list", {
  node,
  org,
  page: fc.integer({ min: 1, max: 4 }),
  limit: fc.constantFrom(1, 2, 5, 200),
  range: fc.option(fc.tuple(place, around, place, around), { nil: undefined }),
})

const search = action("search", {
  node,
  org,
  person: fc.option(somebodyOrNobody, { nil: undefined }),
  status: fc.constantFrom(undefined, undefined, ...messageStatuses),
  state: fc.constantFrom(undefined, ...verificationStates),
  limit: fc.constantFrom(1, 2, 200),
})

const payment = fc.option(fc.nat({ max: 1 }))
const topUp = action("topUp", { node, org, payment, units: fc.constantFrom(5_000, 1, 20_000, 0) })
const adjust = action("adjust", {
  node,
  org,
  payment,
  units: fc.constantFrom(1, -1, -5_000, 4_999, -1_000_000, 0),
})

const report = action("report", {
  node,
  message: fc.nat({ max: 30 }),
  status: fc.constantFrom<ReportStatus>(
    "accepted",
    "delivered",
    "undelivered",
    "failed",
    "rejected",
  ),
  by: fc.constantFrom("message", "gateway id", "unknown id"),
  times: fc.integer({ min: 1, max: 3 }),
})

const crash = action("crash", {
  org,
  // Excludes the person who never answers, because settlement would have to wait for it.
  person: fc.nat({ max: 4 }),
  carriesCode: fc.boolean(),
  isAnswered: fc.boolean(),
})

const settle = action("settle", { node })
const prune = action("prune", {
  org,
  kind: fc.constantFrom<Kind>(
    "messages",
    "messages",
    "verifications",
    "recipients",
    "findings",
    "events",
    "audit",
    "codes",
    "outbox",
  ),
  keepMillis: fc.constantFrom(0, 1_000, 60_000, settleMillis),
  limit: fc.constantFrom(1, 2, 3, 500),
})

const suspend = fc.record({
  tag: fc.constantFrom("suspend" as const, "resume" as const, "resume" as const),
  node,
  org,
})

/** Actions, and how often each of them is in the list. */
const weights: ReadonlyArray<readonly [times: number, fc.Arbitrary<Action>]> = [
  [1, advance],
  [2, until],
  [3, verify],
  [1, manyVerify],
  [3, check],
  [2, guess],
  [2, check],
  [2, resend],
  [1, cancel],
  [2, consume],
  [2, verifyCode],
  [1, verifyAgain],
  [3, retry],
  [1, action("resetGuesses", { node, org, person: anyPerson })],
  [1, action("erase", { node, org, person: anyPerson })],
  [1, action("status", { node, org: someOrg, request })],
  [2, message],
  [1, manyMessages],
  [1, list],
  [1, search],
  [1, action("balance", { node, org, key })],
  [1, topUp],
  [1, adjust],
  [2, report],
  [1, crash],
  [2, settle],
  ...outboxActions,
  [2, prune],
  [1, action("createKey", { node, org })],
  [1, action("revokeKey", { node, org, key: fc.nat({ max: 3 }) })],
  [1, action("allow", { node, org, list: fc.nat({ max: allowLists.length - 1 }) })],
  [1, action("block", { node, org, lists: fc.nat({ max: prefixLists.length - 1 }) })],
  [1, suspend],
]

/** One arbitrary per kind of action. Duplicates double the frequency. */
export const actions = weights.flatMap(([times, one]) => Array.from({ length: times }, () => one))
