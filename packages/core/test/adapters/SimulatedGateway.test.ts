import type { DeliveryReport } from "../../src/domain/messages/DeliveryReport.ts"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Gateway, type GatewayMessage } from "../../src/ports/Gateway.ts"
import type { ReportStatus } from "../../src/domain/messages/GatewayOutcome.ts"
import * as SimulatedGateway from "../../src/adapters/SimulatedGateway.ts"
import { testOn } from "../support/engineTest.ts"

const message = (index = 1): GatewayMessage => ({
  token: Samples.messageId(index),
  ref: { organization: Samples.organizationId, sequence: index },
  purpose: "message",
  class: "transactional",
  channel: "sms",
  phoneNumber: Samples.phoneNumber(index),
  sender: "8809600000000",
  text: Redacted.make(`text ${index}`),
})

const send = (index = 1) => Gateway.use((_) => _.send(message(index)))
const lookup = (index: number) => Gateway.use((_) => _.lookup({ ...message(index), taken: null }))
const cancel = (of: string) => SimulatedGateway.SimulatedGateway.use((_) => _.cancelReport(of))
const journal = (to?: string) => SimulatedGateway.SimulatedGateway.use((_) => _.journal(to))
const turns = Effect.replicateEffect(Effect.yieldNow, 20)

const behaving = (behaviour: SimulatedGateway.Behaviour) =>
  SimulatedGateway.layer({ behave: () => behaviour })

describe("SimulatedGateway", () => {
  const answers: ReadonlyArray<
    readonly [
      SimulatedGateway.Behaviour,
      answer: string,
      outcome: SimulatedGateway.JournalEntry["outcome"],
    ]
  > = [
    [{ _tag: "Deliver" }, "Delivered", "delivered"],
    [{ _tag: "Reject", message: "barred" }, "Rejected", "rejected"],
    [{ _tag: "NotSend", message: "no route" }, "NotSent", "failed"],
    [{ _tag: "Report", status: "delivered", afterMillis: 5_000 }, "Accepted", "accepted"],
    [{ _tag: "NeverReport" }, "Accepted", "accepted"],
  ]
  it.effect.each(
    answers.map(([behaviour, ...rest]) => [behaviour._tag, ...rest, behaviour] as const),
  )("told to %s, it answers %s and remembers %s", ([, answer, outcome, behaviour]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send())._tag, answer)
      const [entry] = yield* journal()
      assert.deepStrictEqual(entry, {
        id: Samples.messageId(1),
        organization: Samples.organizationId,
        phoneNumber: Samples.phoneNumber(1),
        channel: "sms",
        sender: "8809600000000",
        text: "text 1",
        code: undefined,
        at: 0,
        outcome,
      })
    }).pipe(Effect.provide(behaving(behaviour))),
  )

  testOn(behaving({ _tag: "NeverAnswer" }))(
    "never answers if told so, and can be interrupted",
    function* () {
      const fiber = yield* Effect.forkChild(send())
      yield* TestClock.adjust(1_000_000)
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* journal())[0]?.outcome, "unknown")
    },
  )

  testOn(behaving({ _tag: "Report", status: "undelivered", afterMillis: 5_000 }))(
    "reports at the scheduled time",
    function* () {
      const reports: Array<DeliveryReport> = []
      const gateway = yield* Gateway
      yield* Effect.forkChild(
        Stream.runForEach(gateway.reports, (report) => Effect.sync(() => reports.push(report))),
      )
      yield* send()
      yield* TestClock.adjust(4_999)
      assert.deepStrictEqual(reports, [])
      yield* TestClock.adjust(1)
      yield* turns
      const [report, ...others] = reports
      assert.deepStrictEqual(others, [])
      const [entry] = yield* journal()
      assert.deepStrictEqual(report, {
        of: {
          _tag: "Message",
          organization: Samples.organizationId,
          sequence: 1,
          token: entry?.id,
        },
        status: "undelivered",
        detail: "simulated: undelivered",
        evidence: { id: `sim_${entry?.id}`, status: "undelivered" },
      })
      assert.strictEqual((yield* journal())[0]?.outcome, "undelivered")
    },
  )

  testOn(SimulatedGateway.layer({ journalSize: 3 }))(
    "lists the newest entries first, for one number or all, up to its size",
    function* () {
      yield* Effect.forEach([1, 2, 3, 4], send)
      const texts = (entries: ReadonlyArray<SimulatedGateway.JournalEntry>) =>
        entries.map(({ text }) => text)
      assert.deepStrictEqual(texts(yield* journal()), ["text 4", "text 3", "text 2"])
      assert.deepStrictEqual(texts(yield* journal(Samples.phoneNumber(3))), ["text 3"])
      assert.deepStrictEqual(texts(yield* journal(Samples.phoneNumber(1))), [])
    },
  )

  testOn(SimulatedGateway.layer({ journalSize: 3 }))(
    "tells whether the journal has a message",
    function* () {
      const { clear, has } = yield* SimulatedGateway.SimulatedGateway
      yield* Effect.forEach([1, 2, 3, 4], send)
      assert.deepStrictEqual(yield* Effect.forEach([1, 4, 5], (rank) => has(id(rank))), [
        false,
        true,
        false,
      ])
      yield* clear
      assert.isFalse(yield* has(id(4)))
    },
  )

  testOn(SimulatedGateway.layer())(
    "counts every dispatch, and keeps one entry for each token",
    function* () {
      yield* send()
      yield* send()
      assert.strictEqual(yield* SimulatedGateway.SimulatedGateway.use((_) => _.dispatches), 2)
      assert.strictEqual((yield* journal()).length, 1)
    },
  )

  testOn(behaving({ _tag: "Report", status: "delivered", afterMillis: 10 }))(
    "emits entries when they are added and when they change",
    function* () {
      const { changes } = yield* SimulatedGateway.SimulatedGateway
      const seen: Array<string> = []
      yield* Effect.forkChild(
        Stream.runForEach(changes, ({ outcome }) => Effect.sync(() => seen.push(outcome))),
      )
      yield* turns
      yield* send()
      yield* TestClock.adjust(10)
      yield* turns
      assert.deepStrictEqual(seen, ["accepted", "delivered"])
    },
  )

  testOn(SimulatedGateway.layer())(
    "looks up messages it has seen, and reports unknown ones as never seen",
    function* () {
      yield* send(1)
      assert.strictEqual((yield* lookup(1))._tag, "Accepted")
      assert.strictEqual((yield* lookup(2))._tag, "NotSent")
    },
  )

  testOn(SimulatedGateway.layer({ journalSize: 1 }))(
    "answers unknown for messages that it may have forgotten",
    function* () {
      yield* Effect.forEach([1, 2], send)
      assert.strictEqual((yield* lookup(1))._tag, "Unknown")
      assert.strictEqual((yield* lookup(2))._tag, "Accepted")
    },
  )

  testOn(SimulatedGateway.layer())("remembers the code in a text", function* () {
    const gateway = yield* Gateway
    yield* gateway.send({ ...message(), code: Redacted.make("730164") })
    assert.strictEqual((yield* journal())[0]?.code, "730164")
  })

  testOn(SimulatedGateway.layer({ isOnWhatsApp: () => false }))(
    "knows which numbers are on WhatsApp, and reaches every number by SMS",
    function* () {
      const ask = (channel: "sms" | "whatsapp") =>
        Gateway.use((_) => _.isReachable(channel, Samples.phoneNumber()))
      assert.strictEqual(yield* ask("sms"), "yes")
      assert.strictEqual(yield* ask("whatsapp"), "no")
    },
  )
})

/** Everything that was reported, in order, in short. */
const heard = Effect.fnUntraced(function* () {
  const gateway = yield* Gateway
  const seen: Array<string> = []
  yield* Effect.forkChild(
    Stream.runForEach(gateway.reports, ({ status, of }) =>
      Effect.sync(() => seen.push(of._tag === "Message" ? `${of.sequence} ${status}` : status)),
    ),
  )
  return seen
})

const id = Samples.messageId
const report = (of: string, status: ReportStatus, options?: { readonly afterMillis: number }) =>
  SimulatedGateway.SimulatedGateway.use((_) => _.report(of, status, options))
const outcomeOfFirst = Effect.map(journal(), ([entry]) => entry?.outcome)

describe("the recipient's side of the simulated gateway", () => {
  testOn(behaving({ _tag: "NeverReport" })).each([
    "delivered",
    "undelivered",
    "failed",
    "rejected",
  ] as const)("reports an open message as %s on request, once", function* (status) {
    const seen = yield* heard()
    yield* send()
    assert.strictEqual(yield* report(id(1), status), "done")
    assert.strictEqual(yield* report(id(1), "delivered"), "final")
    yield* turns
    assert.deepStrictEqual(seen, [`1 ${status}`])
    assert.strictEqual(yield* outcomeOfFirst, status)
  })

  testOn(behaving({ _tag: "NeverAnswer" }))(
    "reports on a message whose send it never answered",
    function* () {
      const seen = yield* heard()
      yield* Effect.forkChild(send())
      yield* turns
      assert.strictEqual(yield* report(id(1), "delivered"), "done")
      yield* turns
      assert.deepStrictEqual(seen, ["1 delivered"])
    },
  )

  testOn(behaving({ _tag: "NeverReport" }))(
    "keeps a message open after an accepted report",
    function* () {
      yield* send()
      assert.strictEqual(yield* report(id(1), "accepted"), "done")
      assert.strictEqual(yield* report(id(1), "delivered"), "done")
    },
  )

  it.effect.each([
    [{ _tag: "Deliver" }],
    [{ _tag: "Reject", message: "barred" }],
    [{ _tag: "NotSend", message: "no route" }],
  ] as const)("answers final for a message after %o", ([behaviour]) =>
    Effect.gen(function* () {
      yield* send()
      assert.strictEqual(yield* report(id(1), "delivered"), "final")
      assert.strictEqual(yield* cancel(id(1)), "final")
    }).pipe(Effect.provide(behaving(behaviour))),
  )

  testOn(SimulatedGateway.layer())("answers that a message is unknown", function* () {
    assert.strictEqual(yield* report(id(1), "delivered"), "unknown message")
    assert.strictEqual(yield* cancel("x"), "unknown message")
  })

  testOn(behaving({ _tag: "Report", status: "undelivered", afterMillis: 1_000 }))(
    "reports after the requested delay instead of as scheduled",
    function* () {
      const seen = yield* heard()
      yield* send()
      yield* report(id(1), "delivered", { afterMillis: 5_000 })
      yield* TestClock.adjust(4_999)
      yield* turns
      assert.deepStrictEqual(seen, [])
      assert.strictEqual(yield* outcomeOfFirst, "accepted")
      yield* TestClock.adjust(1)
      yield* turns
      assert.deepStrictEqual(seen, ["1 delivered"])
      yield* TestClock.adjust(60_000)
      yield* turns
      assert.deepStrictEqual(seen, ["1 delivered"])
    },
  )

  testOn(behaving({ _tag: "Report", status: "undelivered", afterMillis: 1_000 }))(
    "reports at once instead of as scheduled",
    function* () {
      const seen = yield* heard()
      yield* send()
      yield* report(id(1), "delivered")
      yield* TestClock.adjust(1_000)
      yield* turns
      assert.deepStrictEqual(seen, ["1 delivered"])
    },
  )

  testOn(behaving({ _tag: "Report", status: "delivered", afterMillis: 1_000 }))(
    "cancels a scheduled report, until another is requested",
    function* () {
      const seen = yield* heard()
      yield* send()
      assert.strictEqual(yield* cancel(id(1)), "done")
      yield* TestClock.adjust(60_000)
      yield* turns
      assert.deepStrictEqual(seen, [])
      assert.strictEqual(yield* outcomeOfFirst, "accepted")
      yield* report(id(1), "failed")
      yield* turns
      assert.deepStrictEqual(seen, ["1 failed"])
    },
  )

  testOn(behaving({ _tag: "Report", status: "delivered", afterMillis: 1_000 }))(
    "can be cleared: scheduled reports still come, and the entries do not return",
    function* () {
      const seen = yield* heard()
      yield* Effect.forEach([1, 2, 3], send)
      yield* cancel(id(3))
      yield* SimulatedGateway.SimulatedGateway.use((_) => _.clear)
      assert.deepStrictEqual(yield* journal(), [])
      yield* TestClock.adjust(1_000)
      yield* turns
      assert.deepStrictEqual(seen, ["1 delivered", "2 delivered"])
      assert.deepStrictEqual(yield* journal(), [])
      assert.strictEqual((yield* lookup(1))._tag, "Unknown")
    },
  )
})
