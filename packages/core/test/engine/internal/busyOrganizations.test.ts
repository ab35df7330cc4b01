import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { OrganizationNotFound, StoreUnavailable } from "../../../src/domain/errors/Errors.ts"
import { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { BusyOrganizations, isBusy } from "../../../src/engine/internal/busyOrganizations.ts"
import { effectTest } from "../../support/engineTest.ts"

const acme = OrganizationId("acme")
const other = OrganizationId("other")

const unavailable = (reason: StoreUnavailable["reason"]) =>
  new StoreUnavailable({ reason, retryAfterSeconds: 1 })

/** Work on organizations, and how often it was done. */
const make = () => {
  const busy = new BusyOrganizations()
  const state: { error: StoreUnavailable | OrganizationNotFound | undefined; done: number } = {
    error: unavailable("timeout"),
    done: 0,
  }
  const work = Effect.suspend(() => {
    state.done += 1
    return state.error === undefined ? Effect.succeed("done") : Effect.fail(state.error)
  })
  const run = (organization = acme) =>
    Effect.match(busy.run(organization, work), {
      onFailure: (error) => (isBusy(error) ? "busy" : error._tag),
      onSuccess: (done) => done,
    })
  return { busy, run, state }
}

describe("BusyOrganizations", () => {
  effectTest("skips an organization for 5 seconds, then twice as long, up to 60", function* () {
    const { busy, run, state } = make()
    for (const [index, seconds] of [5, 10, 20, 40, 60, 60].entries()) {
      assert.strictEqual(yield* run(), "busy")
      assert.strictEqual(state.done, index + 1)
      yield* TestClock.adjust(seconds * 1_000 - 1)
      assert.strictEqual(yield* run(), "busy")
      assert.strictEqual(state.done, index + 1)
      assert.deepStrictEqual(yield* busy.current, [acme])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* busy.current, [])
    }
  })

  effectTest("resets the wait after a successful write", function* () {
    const { busy, run, state } = make()
    yield* run()
    yield* TestClock.adjust(5_000)
    state.error = undefined
    assert.deepStrictEqual([yield* run(), yield* run()], ["done", "done"])
    state.error = unavailable("overloaded")
    yield* run()
    yield* TestClock.adjust(5_000)
    assert.deepStrictEqual(yield* busy.current, [])
  })

  effectTest("lets one caller retry for all after the wait", function* () {
    const { run, state } = make()
    yield* run()
    yield* TestClock.adjust(5_000)
    yield* Effect.all([run(), run(), run()], { concurrency: "unbounded" })
    assert.strictEqual(state.done, 2)
  })

  effectTest("counts parallel failures once", function* () {
    const { busy } = make()
    const slow = Effect.andThen(Effect.sleep(1), Effect.fail(unavailable("timeout")))
    const all = Effect.all(
      Array.from({ length: 8 }, () => Effect.result(busy.run(acme, slow))),
      { concurrency: "unbounded" },
    )
    yield* Effect.forkChild(all)
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* busy.current, [acme])
    yield* TestClock.adjust(5_000)
    assert.deepStrictEqual(yield* busy.current, [])
  })

  effectTest.each([unavailable("connection"), new OrganizationNotFound()])(
    "takes no organization for busy that %j is said of",
    function* (error) {
      const { busy, run, state } = make()
      state.error = error
      assert.strictEqual(yield* run(), error._tag)
      assert.deepStrictEqual(yield* busy.current, [])
    },
  )

  effectTest("keeps organizations separate, and remembers 1,000 of them", function* () {
    const { busy, run } = make()
    yield* run(acme)
    yield* run(other)
    assert.deepStrictEqual(yield* busy.current, [acme, other])
    for (let index = 0; index < 999; index++) yield* run(OrganizationId(`o${index}`))
    const current = yield* busy.current
    assert.strictEqual(current.length, 1_000)
    assert.isFalse(current.includes(acme))
  })
})
