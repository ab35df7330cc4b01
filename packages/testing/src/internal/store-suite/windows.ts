import * as Guesses from "@countersign/core/domain/verifications/Guesses"
import {
  type OrganizationId,
  OrganizationId as organizationIdOf,
} from "@countersign/core/domain/values/Ids"
import * as Limits from "@countersign/core/domain/limits/Limits"
import type { Limit } from "@countersign/core/domain/limits/SlidingWindow"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Samples from "../../Samples.ts"
import { open, run, type StoreService, type Test } from "./support.ts"

const { messageId, phoneNumber, requestId } = Samples

/** One to three windows with few places, in any combination. */
const someWindows = fc.array(
  fc.record({
    max: fc.integer({ min: 1, max: 5 }),
    windowMillis: fc.constantFrom(1_000, 5_000, 60_000),
  }),
  { minLength: 1, maxLength: 3 },
)
/** Few of all limits, because one that is strict hides the others. */
const windows = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, someWindows)

const budgets = fc.record({
  sendsPerNumber: windows,
  sendsPerClient: windows,
  checksPerOrganization: windows,
  checksPerClient: windows,
  checksPerRequest: windows,
  guessesPerNumber: windows,
  guessesSinceSuccess: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 2 }),
})

type Budgets = typeof budgets extends fc.Arbitrary<infer A> ? A : never

const pause = fc.constantFrom(0, 0, 1, 999, 1_000, 4_999, 5_000, 59_999, 60_000)
const client = fc.option(fc.nat({ max: 1 }), { nil: undefined, freq: 3 })

const send = fc.record({
  tag: fc.constant("send" as const),
  pause,
  client,
  person: fc.nat({ max: 1 }),
})

const check = fc.record({
  tag: fc.constant("check" as const),
  pause,
  client,
  /** Counted from the newest request. */
  request: fc.nat({ max: 3 }),
  isRight: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.constant(true)),
  /** Whether the number is a test number by now. */
  isTest: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.constant(true)),
})

const events = fc.array(fc.oneof(send, { weight: 3, arbitrary: check }), {
  maxLength: 60,
  size: "max",
})

type Event = typeof events extends fc.Arbitrary<ReadonlyArray<infer A>> ? A : never
type Of<T extends Event["tag"]> = Extract<Event, { readonly tag: T }>

interface Send extends Of<"send"> {
  readonly at: number
  isVerified: boolean
}

interface Check extends Of<"check"> {
  readonly at: number
  readonly of: Send
  /** Whether it has compared a code, by a client that had verified the number before. */
  readonly compared: "by a stranger" | "by a known client" | undefined
}

/** Remembers every event that was admitted, and counts them again for each question. */
class Remembered {
  readonly budgets: Budgets
  readonly sends: Array<Send> = []
  readonly checks: Array<Check> = []

  constructor(budgets: Budgets) {
    this.budgets = budgets
  }

  private knows(person: number, client: number | undefined): boolean {
    return this.tries(person).some(
      (one) => one.isRight && client !== undefined && one.client === client,
    )
  }

  /** The checks that have compared a code for a number. Those of test numbers never count. */
  private tries(person: number): ReadonlyArray<Check> {
    return this.checks.filter(
      ({ compared, isTest, of }) => of.person === person && compared !== undefined && !isTest,
    )
  }

  private guessSeconds(person: number, client: number | undefined, at: number): number {
    const isKnown = this.knows(person, client)
    const counted = this.tries(person).filter((one) => {
      if (one.isRight) return !isKnown || one.client === client
      return isKnown
        ? one.compared === "by a known client" && one.client === client
        : one.compared === "by a stranger"
    })
    const wrong = counted.filter(({ isRight }) => !isRight)
    const series = counted.length - 1 - counted.findLastIndex(({ isRight }) => isRight)
    const { guessesPerNumber, guessesSinceSuccess = Infinity } = this.budgets
    const seconds = secondsUntilFree(wrong, guessesPerNumber, at)
    return series >= guessesSinceSuccess ? Math.max(seconds, Guesses.blockedSeconds) : seconds
  }

  /** The seconds until another one is admitted; 0 if it is now, and then it counts. */
  send(event: Of<"send">, at: number): number {
    const { client, person } = event
    const { sendsPerClient, sendsPerNumber } = this.budgets
    const ofClient = this.sends.filter((one) => client !== undefined && one.client === client)
    const seconds = Math.max(
      secondsUntilFree(
        this.sends.filter((one) => one.person === person),
        sendsPerNumber,
        at,
      ),
      secondsUntilFree(ofClient, sendsPerClient, at),
      this.guessSeconds(person, client, at),
    )
    if (seconds === 0) this.sends.push({ ...event, at, isVerified: false })
    return seconds
  }

  check(event: Of<"check">, of: Send, at: number): number {
    const { client, isRight, isTest } = event
    const { checksPerClient, checksPerOrganization, checksPerRequest } = this.budgets
    const ofClient = this.checks.filter(
      (one) => client !== undefined && one.client === client && !one.isTest,
    )
    const seconds = Math.max(
      secondsUntilFree(this.checks, checksPerOrganization, at),
      secondsUntilFree(
        this.checks.filter((one) => one.of === of),
        checksPerRequest,
        at,
      ),
      isTest ? 0 : secondsUntilFree(ofClient, checksPerClient, at),
      isTest ? 0 : this.guessSeconds(of.person, client, at),
    )
    if (seconds > 0) return seconds
    const lane = this.knows(of.person, client) ? "by a known client" : "by a stranger"
    this.checks.push({ ...event, at, of, compared: of.isVerified ? undefined : lane })
    of.isVerified ||= isRight
    return 0
  }
}

const secondsUntilFree = (
  events: ReadonlyArray<{ readonly at: number }>,
  limits: ReadonlyArray<Limit> | undefined,
  now: number,
): number => {
  const isFull = (at: number): boolean =>
    (limits ?? []).some(
      ({ max, windowMillis }) => events.filter((one) => at - one.at < windowMillis).length >= max,
    )
  let seconds = 0
  while (isFull(now + seconds * 1_000)) seconds += 1
  return seconds
}

const digestsOf = (client: number | undefined) =>
  client === undefined ? undefined : ([`client-${client}`] as const)

const secondsOf = (outcome: object): number =>
  "retryAfterSeconds" in outcome ? Number(outcome.retryAfterSeconds) : 0

const play = Effect.fnUntraced(function* (
  store: StoreService,
  organization: OrganizationId,
  budgets: Budgets,
  events: ReadonlyArray<Event>,
) {
  yield* open(store, Samples.money("1000"), organization)
  const limits = {
    ...Limits.defaults,
    ...budgets,
    attempts: 100,
    pendingPerNumber: Limits.bounds.pendingPerNumber.max,
  }
  const remembered = new Remembered(budgets)
  let now = 0
  for (const event of events) {
    yield* TestClock.adjust(event.pause)
    now += event.pause
    const { length } = remembered.sends
    const common = { organization, limits, client: digestsOf(event.client) }
    if (event.tag === "send") {
      const command = Samples.requestVerification({
        ...common,
        requestId: requestId(length),
        draft: Samples.draft({ id: messageId(length) }),
        phoneNumber: phoneNumber(event.person),
        expirySeconds: 3_600,
      })
      const outcome = yield* run(store, command)
      assert.strictEqual(secondsOf(outcome), remembered.send(event, now), "a send")
      continue
    }
    const index = length - 1 - event.request
    const of = remembered.sends[index]
    if (of === undefined) continue
    const command = Samples.checkCode({
      ...common,
      requestId: requestId(index),
      candidates: [Samples.codeOf(event.isRight ? "right" : "wrong")],
      testNumbers: new Set(event.isTest ? [phoneNumber(of.person)] : []),
    })
    const outcome = yield* run(store, command)
    assert.strictEqual(secondsOf(outcome), remembered.check(event, of, now), "a check")
  }
})

export const windowsSection = (test: Test): void => {
  test("any sends and checks have the windows of a model that remembers all of them", (store) =>
    Effect.gen(function* () {
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
      let histories = 0
      const property = fc.asyncProperty(budgets, events, (budgets, events) => {
        histories += 1
        return runPromise(play(store, organizationIdOf(`windows-${histories}`), budgets, events))
      })
      yield* Effect.promise(() => fc.assert(property, { numRuns: 40 }))
    }))
}
