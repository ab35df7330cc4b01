import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Store } from "../../src/ports/Store.ts"
import { History } from "../../src/services/History.ts"
import {
  accept,
  after,
  arrived,
  begun,
  engine,
  line,
  refuse,
  report,
  round,
  type Setting,
  sms,
} from "../support/telling.ts"
import { cancel, check, consume, phoneNumber, resend, send, wrong } from "../support/verifying.ts"
import { testOn } from "../support/engineTest.ts"

const ofRequest = (organization: OrganizationId, requestId: string) =>
  History.use((_) => _.verification({ organization, requestId }))

const lines = (organization: OrganizationId, requestId: string) =>
  Effect.map(ofRequest(organization, requestId), ({ timeline }) => timeline.map(line))

describe("the timeline of a request", () => {
  interface Story extends Setting {
    readonly title: string
    readonly play: (
      organization: OrganizationId,
      requestId: string,
    ) => Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof engine>>>
    readonly channel?: "sms" | "whatsapp"
    readonly expected: ReadonlyArray<string>
  }

  const checkRight = (organization: OrganizationId, requestId: string) =>
    Effect.flatMap(TestEngine.latestCode(phoneNumber), (code) =>
      check(organization, requestId, code),
    )
  const checkWrong = (organization: OrganizationId, requestId: string) =>
    Effect.flatMap(TestEngine.latestCode(phoneNumber), (code) =>
      Effect.flip(check(organization, requestId, wrong(code))),
    )

  const table: ReadonlyArray<Story> = [
    {
      title: "that is sent, delivered, verified and consumed",
      sms: accept,
      play: Effect.fnUntraced(function* (organization, requestId) {
        yield* after(5)
        yield* report(organization, "delivered")
        yield* after(20)
        yield* checkWrong(organization, requestId)
        yield* checkRight(organization, requestId)
        yield* after(1)
        yield* consume(organization, requestId)
      }),
      expected: [
        "0 requested",
        ...sms,
        "0 accepted #1",
        "5 report #1 delivered",
        "5 settled #1 delivered",
        "5 captured #1 0.50",
        "? wrong_codes 1 2",
        "25 verified",
        "26 consumed",
      ],
    },
    {
      title: "that is not delivered over WhatsApp in time gets an SMS, and both may be reported",
      channel: "whatsapp",
      whatsapp: accept,
      play: Effect.fnUntraced(function* (organization) {
        yield* after(60)
        yield* round
        yield* after(1)
        yield* report(organization, "delivered", "read")
      }),
      expected: [
        "0 requested",
        ...begun(1, "whatsapp", "0.25"),
        "0 accepted #1",
        "60 fallback #2",
        ...arrived(2, "sms", "0.50", 60),
        "61 report #1 delivered read",
        "61 settled #1 delivered",
        "61 captured #1 0.25",
      ],
    },
    {
      title: "with an unclear outcome is refunded at the deadline, and has expired before",
      sms: { _tag: "NeverAnswer" },
      play: Effect.fnUntraced(function* () {
        yield* after(700)
        yield* round
      }),
      expected: [
        "0 requested",
        ...sms,
        "? unconfirmed #1 The gateway did not answer in time unknown",
        "300 expired",
        "710 settled #1 unknown The gateway did not answer in time unknown",
        "710 refunded #1 0.50",
      ],
    },
    {
      title: "whose attempts are used up",
      play: Effect.fnUntraced(function* (organization, requestId) {
        for (const seconds of [10, 10, 10]) {
          yield* after(seconds)
          yield* checkWrong(organization, requestId)
        }
      }),
      expected: [
        "0 requested",
        ...arrived(1, "sms", "0.50"),
        "? wrong_codes 3 0",
        "30 failed attempts",
      ],
    },
    {
      title: "that a caller has sent again, by another channel and then by the same",
      play: Effect.fnUntraced(function* (organization, requestId) {
        yield* after(31)
        yield* resend(organization, requestId, { channel: "whatsapp" })
        yield* after(31)
        yield* resend(organization, requestId)
      }),
      expected: [
        "0 requested",
        ...arrived(1, "sms", "0.50"),
        "31 resent #2",
        ...arrived(2, "whatsapp", "0.25", 31),
        "62 resent #3",
        ...arrived(3, "whatsapp", "0.25", 62),
      ],
    },
    {
      title: "with a fallback and a resend tells one from the other",
      channel: "whatsapp",
      whatsapp: refuse,
      play: Effect.fnUntraced(function* (organization, requestId) {
        yield* after(31)
        yield* resend(organization, requestId)
      }),
      expected: [
        "0 requested",
        ...begun(1, "whatsapp", "0.25"),
        "0 settled #1 rejected no such user recipient",
        "0 refunded #1 0.25",
        "0 fallback #2",
        ...arrived(2, "sms", "0.50"),
        "31 resent #3",
        ...arrived(3, "sms", "0.50", 31),
      ],
    },
    {
      title: "that is pending has no end, and no outcome",
      sms: accept,
      play: checkWrong,
      expected: ["0 requested", ...sms, "0 accepted #1", "? wrong_codes 1 2"],
    },
    {
      title: "whose message was reported as lost and then as delivered",
      sms: accept,
      play: Effect.fnUntraced(function* (organization) {
        yield* after(2)
        yield* report(organization, "undelivered", "absent subscriber")
        yield* after(400)
        yield* report(organization, "delivered")
      }),
      expected: [
        "0 requested",
        ...sms,
        "0 accepted #1",
        "2 report #1 undelivered absent subscriber",
        "2 settled #1 undelivered absent subscriber unknown",
        "2 refunded #1 0.50",
        "300 expired",
        "402 report #1 delivered contradicts",
      ],
    },
    {
      title: "of an organization without an event log has the times of the ledger",
      records: { events: false },
      sms: accept,
      play: Effect.fnUntraced(function* (organization, requestId) {
        yield* after(2)
        yield* report(organization, "undelivered", "absent subscriber")
        yield* cancel(organization, requestId)
      }),
      expected: [
        "0 requested",
        ...sms,
        "? accepted #1",
        "2 report #1 undelivered absent subscriber",
        "2 settled #1 undelivered absent subscriber unknown",
        "2 refunded #1 0.50",
        // The rows do not say whether a caller has cancelled it.
        "? failed",
      ],
    },
  ]

  it.effect.each(table)("$title", ({ channel = "sms", expected, play, ...setting }) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const sending = yield* Effect.forkChild(send(organization, { channel }), {
        startImmediately: true,
      })
      // As long as the gateway may take to answer.
      if (setting.sms?._tag === "NeverAnswer") yield* after(10)
      const { requestId } = yield* Fiber.join(sending)
      yield* play(organization, requestId)
      assert.deepStrictEqual(yield* lines(organization, requestId), expected)
    }).pipe(Effect.provide(engine(setting))),
  )

  testOn(engine())(
    "whose messages retention has dropped has the states of the request",
    function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      yield* checkRight(organization, requestId)
      yield* after(86_400)
      const store = yield* Store
      const step = { organization, after: undefined, keepMillis: 1, limit: 10 }
      yield* store.prune({ ...step, kind: "messages" })
      const { messages, timeline } = yield* ofRequest(organization, requestId)
      assert.deepStrictEqual(messages, [])
      assert.deepStrictEqual(timeline.map(line), ["0 requested", "0 verified"])
      const error = yield* Effect.flip(History.use((_) => _.message({ organization, sequence: 1 })))
      assert.strictEqual(error._tag, "MessageNotFound")
    },
  )

  testOn(engine())("of another organization, or an unknown one, does not exist", function* () {
    const { organization } = yield* TestEngine.open()
    const other = yield* TestEngine.open({ id: "other" })
    const { requestId } = yield* send(organization)
    const errors = yield* Effect.forEach(
      [
        ofRequest(other.organization, requestId),
        ofRequest(organization, "vrf_unknown"),
        ofRequest(organization, "\u0000"),
        ofRequest(OrganizationId("unknown"), requestId),
        History.use((_) => _.message({ organization: other.organization, sequence: 1 })),
        History.use((_) => _.message({ organization: OrganizationId("unknown"), sequence: 1 })),
      ],
      (read) =>
        Effect.map(
          Effect.flip<unknown, { readonly _tag: string }, History>(read),
          ({ _tag }) => _tag,
        ),
    )
    assert.deepStrictEqual(errors, [
      "RequestNotFound",
      "RequestNotFound",
      "RequestNotFound",
      "OrganizationNotFound",
      "MessageNotFound",
      "OrganizationNotFound",
    ])
  })
})
