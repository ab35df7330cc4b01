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
import { callerOf, compareOne, organizationOf, resultOf } from "./results.ts"
import { minute } from "./guards.ts"
import { keptMillis } from "./keyedCalls.ts"
import { moneyOf } from "./readings.ts"
import { crash, list, message, prune, report } from "./playMessages.ts"
import { cancelQueued, dispatch, drain, queue, queuedStatus, reschedule } from "./playOutbox.ts"
import { learnFollowers } from "./learn.ts"
import { check, resetGuesses, verify } from "./playVerifications.ts"
import { cancel, consume, resend, status, verifyCode } from "./playRequests.ts"
import { retry } from "./playRetries.ts"
import { cycled, type Real } from "./real.ts"
import type { Reference } from "./reference.ts"
import { erase, search } from "./playSearch.ts"
import {
  type Action,
  type Actions,
  allowLists,
  leaseMillis,
  prefixLists,
  settleMillis,
} from "./scenario.ts"

const balance = (action: Action<"balance">, reference: Reference, real: Real) => {
  const call = Accounts.use((accounts) =>
    resultOf(
      accounts.balance(callerOf(real, action.org, action.key)),
      ({ balance, held }) => `${balance} + ${held} held`,
    ),
  )
  return compareOne(() => moneyOf(reference, action.org, action.key), real.on(action.node, call))
}

const book = (action: Action<"topUp" | "adjust">, reference: Reference, real: Real) => {
  const { node, org, payment, tag, units } = action
  const amount = Money.fromUnits(units)
  const paymentId = payment === null ? undefined : `payment ${payment}`
  const call = Accounts.use((accounts) =>
    resultOf(
      accounts[tag]({ organization: organizationOf(real, org), amount, paymentId, note: "model" }),
      ({ balance }) => `${balance} left`,
    ),
  )
  return compareOne(() => reference.book(action), real.on(node, call))
}

/** Rounds and lookups until no message is due. */
const untilSettled = Settlement.use(({ lookup, round }) =>
  Effect.repeat(Effect.tap(round, lookup), { while: (count) => count > 0, times: 100 }),
)

const settle = Effect.fnUntraced(function* (
  action: Action<"settle">,
  reference: Reference,
  real: Real,
) {
  yield* real.untilDone(real.on(action.node, untilSettled))
  reference.settle(yield* learnFollowers(real, reference))
})

const changeKeys = Effect.fnUntraced(function* (
  action: Action<"createKey" | "revokeKey">,
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

/** Sets the lists of an organization. */
const configure = (action: Action<"allow" | "block">, reference: Reference, real: Real) => {
  const { node, org } = action
  const organization = reference.org(org)
  const before = [organization.allowList, organization.prefixLists]
  if (action.tag === "allow") organization.allowList = action.list
  else organization.prefixLists = action.lists
  const after = [organization.allowList, organization.prefixLists]
  if (after.join() !== before.join()) organization.settingsChanges += 1
  const change = Organizations.use((service) =>
    service.update({
      id: organizationOf(real, org),
      allowList: allowLists[organization.allowList] ?? [],
      ...prefixLists[organization.prefixLists],
    }),
  )
  return Effect.asVoid(real.on(node, change))
}

const suspend = (action: Action<"suspend" | "resume">, reference: Reference, real: Real) => {
  const { node, org, tag } = action
  const organization = reference.org(org)
  if (organization.isSuspended !== (tag === "suspend")) organization.settingsChanges += 1
  organization.isSuspended = tag === "suspend"
  const change = Organizations.use((service) => service[tag]({ id: organizationOf(real, org) }))
  return Effect.asVoid(real.on(node, change))
}

/** Returns the time at which a state ends; `undefined` if there is no such state. */
const momentOf = (reference: Reference, { index, moment }: Action<"until">): number | undefined => {
  const { allMessages, config, effects, organizations, requests } = reference
  const moments = {
    expiry: () => requests.map(({ createdAt, expirySeconds }) => createdAt + expirySeconds * 1_000),
    resend: () => requests.map(({ sentAt }) => sentAt + config.cooldownMillis),
    follow: () => allMessages.flatMap(({ followAt }) => followAt ?? []),
    lease: () => allMessages.map(({ createdAt }) => createdAt + leaseMillis),
    deadline: () => allMessages.map(({ createdAt }) => createdAt + settleMillis),
    key: () => effects.map(({ at }) => at + keptMillis),
    minute: () =>
      organizations
        .flatMap(({ requests, checked, counted, tries }) => [
          ...requests.map(({ at }) => at),
          ...checked,
          ...tries.map(({ at }) => at),
          ...counted,
        ])
        .map((at) => at + minute),
  }[moment]()
  return moments[index % moments.length]
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

type Played = Effect.Effect<Compared | void, unknown>

const players: {
  readonly [T in keyof Actions]: (action: Action<T>, reference: Reference, real: Real) => Played
} = {
  advance: ({ millis }, reference, real) => advance(reference, real, millis),
  until: (action, reference, real) => {
    const millis = (momentOf(reference, action) ?? 0) + action.offset - reference.now
    return millis > 0 ? advance(reference, real, millis) : Effect.void
  },
  verify,
  check,
  resend,
  cancel,
  consume,
  verifyCode,
  retry,
  resetGuesses,
  erase,
  status,
  message,
  list,
  search,
  balance,
  topUp: book,
  adjust: book,
  report,
  crash,
  settle,
  queue,
  dispatch,
  cancelQueued,
  reschedule,
  queuedStatus,
  drain,
  prune,
  createKey: changeKeys,
  revokeKey: changeKeys,
  allow: configure,
  block: configure,
  suspend,
  resume: suspend,
}

const play = <T extends keyof Actions>(
  action: Action<T>,
  reference: Reference,
  real: Real,
): Played => {
  const player: (action: Action<T>, reference: Reference, real: Real) => Played =
    players[action.tag]
  return player(action, reference, real)
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
