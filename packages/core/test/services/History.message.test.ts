import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Store } from "../../src/ports/Store.ts"
import { History, maxTraces } from "../../src/services/History.ts"
import { Messages } from "../../src/services/Messages.ts"
import { accept, after, engine, line, report, round } from "../support/telling.ts"
import { cancel, phoneNumber, send } from "../support/verifying.ts"
import { testOn } from "../support/engineTest.ts"

const text = (organization: OrganizationId) =>
  Messages.use((_) => _.send({ organization, phoneNumber, text: "hello" }))

describe("the timeline of a message", () => {
  const ofMessage = (organization: OrganizationId, sequence = 1) =>
    History.use((_) => _.message({ organization, sequence }))

  testOn(engine())("whose node stopped names the second attempt", function* () {
    const store = yield* Store
    yield* store.createOrganization(Samples.organization())
    yield* store.execute(Samples.topUp())
    const { charge } = Samples.newMessage()
    yield* store.execute(Samples.holdMessage())
    yield* after(71)
    yield* round
    const { timeline } = yield* ofMessage(Samples.organizationId)
    assert.deepStrictEqual(timeline.map(line).slice(1), [
      `0 held #1 ${Money.format(charge)}`,
      "0 attempt #1 1",
      "? attempt #1 2",
      "? unconfirmed #1 The node that was sending stopped unknown",
    ])
  })

  it.effect("is found among the traffic of others, in a limited number of reads", () => {
    const reads: Array<number> = []
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const others = Effect.forEach([1, 2, 3, 4], () => text(organization), { discard: true })
      yield* text(organization)
      yield* others
      yield* after(10)
      yield* report(organization, "accepted")
      yield* others
      yield* after(10)
      yield* report(organization, "undelivered")
      yield* after(600)
      yield* round
      const lost = yield* ofMessage(organization)
      assert.deepStrictEqual(lost.timeline.map(line).slice(3), [
        "? accepted #1",
        "10 report #1 accepted",
        "20 report #1 undelivered",
        "20 settled #1 undelivered undelivered unknown",
        "20 refunded #1 0.50",
      ])
      assert.deepStrictEqual(reads, [0, 20_000])
      reads.length = 0
      const open = yield* ofMessage(organization, 2)
      assert.deepStrictEqual(open.timeline.map(line).slice(3), [
        "? accepted #2",
        "620 settled #2 unknown No delivery report came in time no_report",
        "620 refunded #2 0.50",
      ])
      // So many messages came to their deadline at the same time that the first rows of that time are of others.
      const last = yield* ofMessage(organization, 9)
      assert.deepStrictEqual(last.timeline.map(line).slice(3), [
        "? accepted #9",
        "? settled #9 unknown No delivery report came in time no_report",
        "? refunded #9 0.50",
      ])
      assert.isAtMost(reads.length, maxTraces)
    }).pipe(
      Effect.provide(
        engine({
          sms: accept,
          store: (made) => ({
            trace: (id, query) => {
              reads.push(query.from)
              return made.trace(id, { ...query, examine: 3 })
            },
          }),
        }),
      ),
    )
  })
})

describe("the timeline of a request among the traffic of others", () => {
  const tenAtATime = { reads: 0 }
  const layer = engine({
    store: (made) => ({
      trace: (id, query) => {
        tenAtATime.reads += 1
        return made.trace(id, { ...query, examine: 10 })
      },
    }),
  })

  testOn(layer).each([
    [6, "20 cancelled", 2],
    [60, "? failed", maxTraces],
  ] as const)("of %d messages ends with %j", function* ([others, end, reads]) {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    for (let index = 0; index < others; index++) {
      yield* after(0.25)
      yield* text(organization)
    }
    yield* after(20 - others / 4)
    yield* cancel(organization, requestId)
    tenAtATime.reads = 0
    const { timeline } = yield* History.use((_) => _.verification({ organization, requestId }))
    assert.strictEqual(timeline.map(line).at(-1), end)
    assert.strictEqual(tenAtATime.reads, reads)
  })
})
