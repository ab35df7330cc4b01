/**
 * Runs one action on the reference and on the engine, and compares the answers exactly.
 */
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import { Settlement } from "@countersign/core/jobs/Settlement"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { callerOf, compare, type Of, organizationOf, resultOf } from "./results.ts"
import { momentOf } from "./moments.ts"
import { moneyOf } from "./readings.ts"
import { crash, list, message, prune, report } from "./playMessages.ts"
import { erase } from "./playErasure.ts"
import { learnFollowers } from "./learn.ts"
import { check, resetGuesses, verify } from "./playVerifications.ts"
import { cancel, consume, resend, status, verifyCode } from "./playRequests.ts"
import { retry } from "./playRetries.ts"
import { cycled, type Real } from "./real.ts"
import type { Reference } from "./reference.ts"
import { search } from "./playSearch.ts"
import { type Action, allowLists, prefixLists } from "./scenario.ts"

const balance = (action: Of<"balance">, reference: Reference, real: Real) => {
  const call = Accounts.use((accounts) =>
    resultOf(
      accounts.balance(callerOf(real, action.org, action.key)),
      ({ balance, held }) => `${balance} + ${held} held`,
    ),
  )
  return compare(
    1,
    () => moneyOf(reference, action.org, action.key),
    () => real.on(action.node, call),
  )
}

const book = (action: Of<"topUp" | "adjust">, reference: Reference, real: Real) => {
  const { node, org, payment, tag, units } = action
  const amount = Money.fromUnits(units)
  const paymentId = payment === null ? undefined : `payment ${payment}`
  const call = Accounts.use((accounts) =>
    resultOf(
      accounts[tag]({ organization: organizationOf(real, org), amount, paymentId, note: "model" }),
      ({ balance }) => `${balance} left`,
    ),
  )
  return compare(
    1,
    () => reference.book(action),
    () => real.on(node, call),
  )
}

/** Rounds and lookups until no message is due. */
const untilSettled = Settlement.use(({ lookup, round }) =>
  Effect.repeat(Effect.tap(round, lookup), { while: (count) => count > 0, times: 100 }),
)

const settle = Effect.fnUntraced(function* (
  action: Of<"settle">,
  reference: Reference,
  real: Real,
) {
  yield* real.untilDone(real.on(action.node, untilSettled))
  reference.settle(yield* learnFollowers(real, reference))
})

const changeKeys = Effect.fnUntraced(function* (
  action: Of<"createKey" | "revokeKey">,
  reference: Reference,
  real: Real,
) {
  const { node, org } = action
  const organization = organizationOf(real, org)
  const keys = real.keys[org] ?? []
  const { keysRevoked } = reference.org(org)
  if (action.tag === "createKey") {
    keysRevoked.push(false)
    const { id } = yield* real.on(
      node,
      ApiKeys.use((service) => service.create({ organization, name: "another" })),
    )
    keys.push(id)
  } else {
    keysRevoked[action.key % keysRevoked.length] = true
    const id = cycled(keys, action.key)
    yield* real.on(
      node,
      ApiKeys.use((service) => service.revoke({ organization, id })),
    )
  }
})

const allow = Effect.fnUntraced(function* (action: Of<"allow">, reference: Reference, real: Real) {
  const { list, node, org } = action
  const organization = reference.org(org)
  const next = list % allowLists.length
  if (next !== organization.allowList) organization.settingsChanges += 1
  organization.allowList = next
  const allowList = cycled<ReadonlyArray<string>>(allowLists, list)
  const configure = Organizations.use((service) =>
    service.update({ id: organizationOf(real, org), allowList }),
  )
  yield* real.on(node, configure)
})

const block = (action: Of<"block">, reference: Reference, real: Real) => {
  const { lists, node, org } = action
  const organization = reference.org(org)
  if (lists !== organization.prefixLists) organization.settingsChanges += 1
  organization.prefixLists = lists
  const configure = Organizations.use((service) =>
    service.update({ id: organizationOf(real, org), ...cycled(prefixLists, lists) }),
  )
  return Effect.asVoid(real.on(node, configure))
}

const suspend = (action: Of<"suspend" | "resume">, reference: Reference, real: Real) => {
  const { node, org, tag } = action
  const organization = reference.org(org)
  if (organization.isSuspended !== (tag === "suspend")) organization.settingsChanges += 1
  organization.isSuspended = tag === "suspend"
  const change = Organizations.use((service) => service[tag]({ id: organizationOf(real, org) }))
  return Effect.asVoid(real.on(node, change))
}

interface Compared {
  readonly expected: ReadonlyArray<string>
  readonly actual: ReadonlyArray<string>
}

/** Moves the clock. Before that, this read waits for outcomes that are not written yet: they have the present time. */
const advance = (reference: Reference, { store }: Real, millis: number) => {
  reference.now += millis
  return Effect.andThen(store.organizationSummaries(undefined, 1), TestClock.adjust(millis))
}

const play = (
  action: Action,
  reference: Reference,
  real: Real,
): Effect.Effect<Compared | void, unknown> => {
  switch (action.tag) {
    case "advance":
      return advance(reference, real, action.millis)
    case "until": {
      const millis = (momentOf(reference, action) ?? 0) + action.offset - reference.now
      return millis > 0 ? advance(reference, real, millis) : Effect.void
    }
    case "verify":
      return verify(action, reference, real)
    case "check":
      return check(action, reference, real)
    case "resend":
      return resend(action, reference, real)
    case "cancel":
      return cancel(action, reference, real)
    case "consume":
      return consume(action, reference, real)
    case "verifyCode":
      return verifyCode(action, reference, real)
    case "retry":
      return retry(action, reference, real)
    case "resetGuesses":
      return resetGuesses(action, reference, real)
    case "erase":
      return erase(action, reference, real)
    case "status":
      return status(action, reference, real)
    case "message":
      return message(action, reference, real)
    case "list":
      return list(action, reference, real)
    case "search":
      return search(action, reference, real)
    case "balance":
      return balance(action, reference, real)
    case "topUp":
    case "adjust":
      return book(action, reference, real)
    case "report":
      return report(action, reference, real)
    case "crash":
      return crash(action, reference, real)
    case "settle":
      return settle(action, reference, real)
    case "prune":
      return prune(action, reference, real)
    case "createKey":
    case "revokeKey":
      return changeKeys(action, reference, real)
    case "allow":
      return allow(action, reference, real)
    case "block":
      return block(action, reference, real)
    case "suspend":
    case "resume":
      return suspend(action, reference, real)
  }
}

/** The kind of an action's result: `check: WrongCode #`. */
const kindOf = (action: Action, text: string): string =>
  `${action.tag}: ${(text.split("\n")[0] ?? "").replace(/\d+/g, "#")}`

/** Fails if the engine's answers differ from the reference's. Returns the kinds of answers. */
export const perform = (
  action: Action,
  reference: Reference,
  real: Real,
): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.map(play(action, reference, real), (compared) => {
    if (compared === undefined) return [action.tag]
    const { actual, expected } = compared
    assert.deepStrictEqual(actual, expected, `the answer to ${action.tag}`)
    return actual.map((text) => kindOf(action, text))
  })
