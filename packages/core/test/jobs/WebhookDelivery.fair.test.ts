import type * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { healthyTime, places, pollInterval } from "../../src/jobs/WebhookDelivery.ts"
import { Webhooks } from "../../src/services/Webhooks.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import type { Steps } from "../support/engineTest.ts"
import { type Answer, engine, ok, receivers } from "../support/receiving.ts"

const pollMillis = Duration.toMillis(pollInterval)
const healthyMillis = Duration.toMillis(healthyTime)

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const slow: Answer = () => Effect.as(Effect.sleep("9 seconds"), ok)

/** Answers slowly, and counts the receivers of an organization that have a request at once. */
const counting = () => {
  const open = new Map<string, number>()
  let most = 0
  const change = (host: string, by: number) =>
    Effect.sync(() => {
      open.set(host, (open.get(host) ?? 0) + by)
      const own = [...open].filter(
        ([other, count]) => count > 0 && other.split("-")[0] === host.split("-")[0],
      )
      most = Math.max(most, own.length)
    })
  const answer: Answer = (request) => {
    const { host } = new URL(request.url)
    return change(host, 1).pipe(Effect.andThen(slow(request)), Effect.ensuring(change(host, -1)))
  }
  return { answer, most: () => most }
}

type Receiver = ReturnType<typeof receivers>

/** Adds a webhook to each host. The hosts of all organizations have different names. */
const subscribe = Effect.fnUntraced(function* (
  organization: OrganizationId,
  ...hosts: ReadonlyArray<string>
) {
  const webhooks = yield* Webhooks
  const types = ["topped_up"] as const
  for (const host of hosts) yield* webhooks.create({ organization, url: `https://${host}`, types })
})

const open = Effect.fnUntraced(function* (name: string, ...hosts: ReadonlyArray<string>) {
  const organization = OrganizationId(name)
  yield* Organizations.use((_) => _.create({ id: organization }))
  yield* subscribe(organization, ...hosts)
  return organization
})

const raise = (organization: OrganizationId) =>
  Accounts.use((_) => _.topUp({ organization, amount: Money.make("1") }))

/** The organizations of an attack, each with as many hosts as it may have. */
const attackers = Effect.fnUntraced(function* (receiver: Receiver, count: number, answer: Answer) {
  const all: Array<OrganizationId> = []
  for (const index of from(1, count)) {
    const hosts = from(1, 20).map((number) => `evil${index}-${number}.test`)
    for (const host of hosts) receiver.answers[host] = answer
    all.push(yield* open(`evil${index}`, ...hosts))
  }
  return all
})

const good = "zgood.test"

/** Raises an event at another time of each second. Returns the delays until the good receiver got them. */
const probe = Effect.fnUntraced(function* (
  receiver: Receiver,
  organization: OrganizationId,
  seconds: number,
  eachSecond: Effect.Effect<unknown, unknown, TestEngine.TestEngine> = Effect.void,
) {
  const before = receiver.of(good).length
  const times: Array<number> = []
  for (const second of from(1, seconds)) {
    yield* eachSecond
    const phase = (second * 370) % 1_000
    yield* TestClock.adjust(phase)
    times.push(yield* Clock.currentTimeMillis)
    yield* raise(organization)
    yield* TestClock.adjust(1_000 - phase)
  }
  yield* TestClock.adjust("1 minute")
  const got = receiver.of(good).slice(before)
  assert.strictEqual(got.length, seconds)
  return got.map(({ at }, index) => at - (times[index] ?? 0))
})

const testing = (title: string, body: (receiver: Receiver) => Steps<TestEngine.TestEngine>) =>
  it.effect(title, () => {
    const receiver = receivers()
    const steps = Effect.gen(() => body(receiver))
    return Effect.provide(steps, engine(receiver, { running: true }))
  })

const raiseAll = (organizations: ReadonlyArray<OrganizationId>, count = 1) =>
  Effect.forEach(organizations, (one) => Effect.replicateEffect(raise(one), count), {
    discard: true,
  })

describe("WebhookDelivery", () => {
  for (const count of [1, 4, 40]) {
    testing(
      `is as fast as without them while ${count * 20} receivers are slow`,
      function* (receiver) {
        const organization = yield* open("zgood", good)
        yield* probe(receiver, organization, 1)
        const idle = yield* probe(receiver, organization, 20)
        const evil = yield* attackers(receiver, count, slow)
        yield* raiseAll(evil, 10)
        const delays = yield* probe(receiver, organization, 60, raiseAll(evil))
        assert.isAtMost(Math.max(...idle), pollMillis)
        assert.isAtMost(Math.max(...delays), pollMillis)
      },
    )
  }

  testing("waits at most two seconds for receivers that become slow, once", function* (receiver) {
    const organization = yield* open("zgood", good)
    let isSlow = false
    const answer: Answer = (request) => (isSlow ? slow(request) : Effect.succeed(ok))
    const evil = yield* attackers(receiver, places.total, answer)
    yield* raiseAll([...evil, organization])
    yield* TestClock.adjust("1 minute")
    isSlow = true
    // Each organization has two places at most, so all are in the first two turns.
    const delays = yield* probe(receiver, organization, 120, raiseAll(evil))
    const late = delays.filter((delay) => delay > pollMillis)
    assert.isAtMost(Math.max(...delays), pollMillis + 2 * healthyMillis)
    // Each receiver was slow among the fast ones once: 320 of them, 16 at once, for two seconds.
    assert.isAtMost(late.length, 40)
    assert.isAtMost(Math.max(...delays.slice(60)), pollMillis)
    assert.strictEqual(new Set(receiver.of(good).map(({ sequence }) => sequence)).size, 121)
  })

  testing("delivers to a fast receiver of an organization whose others hang", function* (receiver) {
    const organization = yield* open("zgood", good)
    yield* probe(receiver, organization, 1)
    const hosts = from(1, 19).map((number) => `hang${number}.test`)
    for (const host of hosts) receiver.answers[host] = () => Effect.never
    yield* subscribe(organization, ...hosts)
    const delays = yield* probe(receiver, organization, 60)
    assert.isAtMost(Math.max(...delays), pollMillis)
  })

  testing("lets organizations take turns with their slow receivers", function* (receiver) {
    const { answer, most } = counting()
    const evil = yield* attackers(receiver, 20, answer)
    yield* raiseAll(evil, 50)
    receiver.answers[good] = () => Effect.as(Effect.sleep("3 seconds"), ok)
    const organization = yield* open("zgood", good)
    yield* raise(organization)
    // A round takes 18 seconds, and 16 of the 21 organizations have a place.
    yield* TestClock.adjust("40 seconds")
    assert.strictEqual(receiver.of(good).length, 1)
    assert.isAtMost(most(), places.perOrganization)
  })

  testing(
    "gives an organization two places at most, also while others are free",
    function* (receiver) {
      const { answer, most } = counting()
      yield* raiseAll(yield* attackers(receiver, 3, answer), 50)
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual(most(), places.perOrganization)
    },
  )

  testing(
    "repeats a request that it has cut, apart from the fast ones, and loses none",
    function* (receiver) {
      let isSlow = false
      receiver.answers[good] = (request) => (isSlow ? slow(request) : Effect.succeed(ok))
      const organization = yield* open("zgood", good)
      yield* raise(organization)
      yield* TestClock.adjust("2 seconds")
      // They take all places of the slow ones.
      const evil = yield* attackers(receiver, 8, slow)
      yield* raiseAll(evil, 50)
      yield* TestClock.adjust("2 seconds")
      isSlow = true
      yield* raise(organization)
      yield* TestClock.adjust("4 seconds")
      const [webhook] = yield* Webhooks.use((_) => _.list({ organization }))
      assert.deepInclude(webhook, { retrying: 1, troubledSince: null, lastError: null })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        receiver
          .sequencesOf(good)
          .slice(1)
          .map((one, _, all) => one === all[0]),
        [true, true],
      )
      const [later] = yield* Webhooks.use((_) => _.list({ organization }))
      assert.deepInclude(later, { retrying: 0, troubledSince: null, lastError: null })
    },
  )
})
