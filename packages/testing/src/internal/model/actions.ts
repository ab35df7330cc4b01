/**
 * Generates histories: mostly valid actions, some invalid ones, and clock changes around the relevant
 * moments.
 */
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import { bounds } from "@countersign/core/domain/limits/Limits"
import type { Kind } from "@countersign/core/decide/maintenance/Pruning"
import * as fc from "fast-check"
import {
  brand,
  channel,
  client,
  codeLength,
  expirySeconds,
  fewTimes,
  isKnown,
  key,
  mostly,
  known,
  node,
  place,
  org,
  purpose,
  rarely,
  request,
  someOrg,
  somebodyOrNobody,
} from "./actionFields.ts"
import { check, consume, guess, verifyAgain, verifyCode } from "./checkActions.ts"
import { erase, search } from "./searchAction.ts"
import {
  type Action,
  addresses,
  type Config,
  gatewayTimeoutMillis,
  leaseMillis,
  people,
  type RetriedTag,
  settleMillis,
} from "./scenario.ts"
import { allow, block } from "./settingsActions.ts"

export const config: fc.Arbitrary<Config> = fc.record({
  reports: fc.oneof(
    { weight: 3, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  honoursToken: fc.boolean(),
  lookup: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  fallback: fc.boolean(),
  limitsClients: fc.boolean(),
  resends: fc.constantFrom(3, 3, 1),
  cooldownMillis: fc.constantFrom(30_000, 0),
  guesses: fc.constantFrom("documented", "windows", "series"),
  messagesPerMinute: fc.constantFrom(null, 3),
  spendPerDay: fc.constantFrom(null, 32_000),
  balanceLowAt: fc.constantFrom(null, 15_000, 50_000),
  watch: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.record({
        windowMillis: fc.constantFrom(60_000, 90_000),
        maxSent: fc.constantFrom(8, 1_000),
        minSent: fc.constant(5),
        minConversion: fc.constantFrom(0, 0.3),
        action: fc.constantFrom("record", "deny"),
      }),
    },
  ),
})

const advance = fc.oneof(
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
)

const until = fc.record({
  tag: fc.constant("until" as const),
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

const verify = fc.record({
  tag: fc.constant("verify" as const),
  node,
  org,
  person: somebodyOrNobody,
  channel,
  codeLength,
  expirySeconds,
  brand,
  purpose,
  key,
  client,
  known,
  count: fc.constant(1),
})

/** Concurrent sends go only to people without a delay. */
const manyVerify = fc.record({
  tag: fc.constant("verify" as const),
  node,
  org,
  person: fc.nat({ max: 2 }),
  channel,
  codeLength: fc.constant(undefined),
  expirySeconds: fc.constantFrom(60, 300),
  brand: fc.constant(undefined),
  purpose,
  key: fc.constant(undefined),
  client: fc.constant(undefined),
  known,
  count: fc.integer({ min: 2, max: 14 }),
})

const resend = fc.record({
  tag: fc.constant("resend" as const),
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

const cancel = fc.record({
  tag: fc.constant("cancel" as const),
  node,
  org: someOrg,
  request,
  among: mostly("pending"),
  key,
  count: fewTimes,
})

const retry = fc.record({
  tag: fc.constant("retry" as const),
  node,
  of: fc.constantFrom<RetriedTag>("message", "verify", "resend", "consume", "verifyCode"),
  call: fc.nat({ max: 20 }),
  isOther: fc.constantFrom(false, false, true),
})

const resetGuesses = fc.record({
  tag: fc.constant("resetGuesses" as const),
  node,
  org,
  person: fc.nat({ max: people.length - 1 }),
})

const status = fc.record({ tag: fc.constant("status" as const), node, org: someOrg, request })

const message = fc.record({
  tag: fc.constant("message" as const),
  node,
  org,
  person: somebodyOrNobody,
  channel,
  brand,
  text: rarely(
    fc.constantFrom("Your parcel is here", "আপনার পার্সেল এসেছে 📦"),
    fc.constantFrom("", "x".repeat(1_601)),
  ),
  key,
  address: fc.constantFrom(...addresses),
  count: fc.constant(1),
})

const manyMessages = fc.record({
  tag: fc.constant("message" as const),
  node,
  org,
  person: fc.nat({ max: 2 }),
  channel: fc.constant("sms" as const),
  brand: fc.constant(undefined),
  text: fc.constant("to all"),
  key: fc.constant(undefined),
  address: fc.constant(undefined),
  count: fc.integer({ min: 2, max: 12 }),
})

const around = fc.integer({ min: -1, max: 1 })

const list = fc.record({
  tag: fc.constant("list" as const),
  node,
  org,
  page: fc.integer({ min: 1, max: 4 }),
  limit: fc.constantFrom(1, 2, 5, 200),
  range: fc.option(fc.tuple(place, around, place, around), { nil: undefined }),
})

const balance = fc.record({ tag: fc.constant("balance" as const), node, org, key })
const payment = fc.option(fc.nat({ max: 1 }))
const topUp = fc.record({
  tag: fc.constant("topUp" as const),
  node,
  org,
  payment,
  units: fc.constantFrom(5_000, 1, 20_000, 0),
})
const adjust = fc.record({
  tag: fc.constant("adjust" as const),
  node,
  org,
  payment,
  units: fc.constantFrom(1, -1, -5_000, 4_999, -1_000_000, 0),
})

const report = fc.record({
  tag: fc.constant("report" as const),
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

const crash = fc.record({
  tag: fc.constant("crash" as const),
  org,
  // Excludes the person who never answers, because settlement would have to wait for it.
  person: fc.nat({ max: 4 }),
  carriesCode: fc.boolean(),
  isAnswered: fc.boolean(),
})

const settle = fc.record({ tag: fc.constant("settle" as const), node })
const prune = fc.record({
  tag: fc.constant("prune" as const),
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
  ),
  keepMillis: fc.constantFrom(0, 1_000, 60_000, settleMillis),
  limit: fc.constantFrom(1, 2, 3, 500),
})
const createKey = fc.record({ tag: fc.constant("createKey" as const), node, org })
const revokeKey = fc.record({
  tag: fc.constant("revokeKey" as const),
  node,
  org,
  key: fc.nat({ max: 3 }),
})
const suspend = fc.record({
  tag: fc.constantFrom("suspend" as const, "resume" as const, "resume" as const),
  node,
  org,
})

/** One arbitrary per kind of action. Duplicates double the frequency. */
export const actions: ReadonlyArray<fc.Arbitrary<Action>> = [
  advance.map((millis) => ({ tag: "advance", millis })),
  until,
  until,
  verify,
  verify,
  verify,
  manyVerify,
  check,
  check,
  check,
  guess,
  guess,
  check,
  check,
  resend,
  resend,
  cancel,
  consume,
  consume,
  verifyCode,
  verifyCode,
  verifyAgain,
  retry,
  retry,
  retry,
  resetGuesses,
  erase,
  status,
  message,
  message,
  manyMessages,
  list,
  search,
  balance,
  topUp,
  adjust,
  report,
  report,
  crash,
  settle,
  settle,
  prune,
  prune,
  createKey,
  revokeKey,
  allow,
  block,
  suspend,
]
