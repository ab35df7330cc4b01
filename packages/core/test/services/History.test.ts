import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import type { Behaviour } from "../../src/adapters/SimulatedGateway.ts"
import { Pricing } from "../../src/decide/Pricing.ts"
import type { ReportStatus } from "../../src/domain/GatewayOutcome.ts"
import { OrganizationId, RequestId } from "../../src/domain/Ids.ts"
import * as Money from "../../src/domain/Money.ts"
import { defaults, Records } from "../../src/domain/Records.ts"
import type { TimelineEntry } from "../../src/domain/Timeline.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Dispatcher from "../../src/services/Dispatcher.ts"
import * as Fallback from "../../src/services/Fallback.ts"
import { History, maxTraces } from "../../src/services/History.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Reports } from "../../src/services/Reports.ts"
import { Settlement } from "../../src/services/Settlement.ts"
import { cancel, check, consume, phoneNumber, resend, send, wrong } from "../support/verifying.ts"

interface Setting {
  readonly whatsapp?: Behaviour
  readonly sms?: Behaviour
  readonly records?: Partial<Records>
  readonly store?: (store: Store["Service"]) => Partial<Store["Service"]>
}

const prices = Layer.succeed(Pricing, {
  currency: "BDT",
  price: ({ channel }) => Money.make(channel === "sms" ? "0.5" : "0.25"),
})

/** Ten minutes instead of a day. */
const deadlines = Layer.succeed(Dispatcher.DispatchPolicy, {
  leaseMarginMillis: 60_000,
  settleMillis: 600_000,
})

const deliver: Behaviour = { _tag: "Deliver" }
const accept: Behaviour = { _tag: "NeverReport" }
const refuse: Behaviour = { _tag: "Reject", message: "no such user" }

const engine = ({ records, sms = deliver, store, whatsapp = deliver }: Setting = {}) =>
  TestEngine.layer({
    store: Layer.sync(Store, () => {
      const made = MemoryStore.make({ ...defaults, ...records })
      return Store.of({ ...made, ...store?.(made) })
    }),
    gateway: { behave: ({ channel }) => (channel === "sms" ? sms : whatsapp) },
  }).pipe(Layer.provide([prices, deadlines, Fallback.layer({})]))

/** An entry in words, with its time in seconds: `30 report delivered`. */
const line = ({ at, kind, ...given }: TimelineEntry): string => {
  const { messageSequence, expiresAt, gateway, gatewayId, ...rest } = {
    messageSequence: undefined,
    expiresAt: undefined,
    gateway: undefined,
    gatewayId: undefined,
    ...given,
  }
  const words = Object.entries(rest).flatMap(([name, value]) => {
    if (value === null || value === false) return []
    if (name === "amount") return [Money.format(Money.fromUnits(Number(value)))]
    return value === true ? [name] : [String(value)]
  })
  const of = messageSequence === undefined ? [] : [`#${messageSequence}`]
  return [at === null ? "?" : at / 1_000, kind, ...of, ...words].join(" ")
}

const after = (seconds: number) => TestClock.adjust(seconds * 1_000)

const round = Settlement.use((_) => _.round)

const ofRequest = (organization: OrganizationId, requestId: string) =>
  History.use((_) => _.verification({ organization, requestId: RequestId(requestId) }))

const lines = (organization: OrganizationId, requestId: string) =>
  Effect.map(ofRequest(organization, requestId), ({ timeline }) => timeline.map(line))

const report = (
  organization: OrganizationId,
  status: ReportStatus,
  detail: string | null = null,
  sequence = 1,
) =>
  Reports.use((_) => _.receive({ of: { _tag: "Message", organization, sequence }, status, detail }))

const begun = (sequence: number, channel: string, price: string, at = 0) => [
  `${at} created #${sequence} ${channel} ${channel === "sms" ? "8809600000000" : "profile"}`,
  `${at} held #${sequence} ${price}`,
  `${at} attempt #${sequence} 1`,
]

const sms = begun(1, "sms", "0.50")

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
      title: "whose number is not on WhatsApp gets an SMS",
      channel: "whatsapp",
      whatsapp: refuse,
      play: () => Effect.void,
      expected: [
        "0 requested",
        ...begun(1, "whatsapp", "0.25"),
        "0 settled #1 rejected no such user",
        "0 refunded #1 0.25",
        "0 fallback #2",
        ...begun(2, "sms", "0.50"),
        "0 accepted #2",
        "0 settled #2 delivered",
        "0 captured #2 0.50",
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
        ...begun(2, "sms", "0.50", 60),
        "60 accepted #2",
        "60 settled #2 delivered",
        "60 captured #2 0.50",
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
        "? unconfirmed #1 The gateway did not answer in time",
        "300 expired",
        "710 settled #1 unknown The gateway did not answer in time",
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
        ...sms,
        "0 accepted #1",
        "0 settled #1 delivered",
        "0 captured #1 0.50",
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
        ...sms,
        "0 accepted #1",
        "0 settled #1 delivered",
        "0 captured #1 0.50",
        "31 resent #2",
        ...begun(2, "whatsapp", "0.25", 31),
        "31 accepted #2",
        "31 settled #2 delivered",
        "31 captured #2 0.25",
        "62 resent #3",
        ...begun(3, "whatsapp", "0.25", 62),
        "62 accepted #3",
        "62 settled #3 delivered",
        "62 captured #3 0.25",
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
        "0 settled #1 rejected no such user",
        "0 refunded #1 0.25",
        "0 fallback #2",
        ...begun(2, "sms", "0.50"),
        "0 accepted #2",
        "0 settled #2 delivered",
        "0 captured #2 0.50",
        "31 resent #3",
        ...begun(3, "sms", "0.50", 31),
        "31 accepted #3",
        "31 settled #3 delivered",
        "31 captured #3 0.50",
      ],
    },
    {
      title: "that is cancelled",
      sms: accept,
      play: Effect.fnUntraced(function* (organization, requestId) {
        yield* after(7)
        yield* cancel(organization, requestId)
      }),
      expected: ["0 requested", ...sms, "0 accepted #1", "7 cancelled"],
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
        "2 settled #1 undelivered absent subscriber",
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
        "2 settled #1 undelivered absent subscriber",
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

  it.effect("of another organization, or an unknown one, does not exist", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const other = yield* TestEngine.open({ id: "other" })
      const { requestId } = yield* send(organization)
      const errors = yield* Effect.forEach(
        [
          ofRequest(other.organization, requestId),
          ofRequest(organization, "vrf_unknown"),
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
        "OrganizationNotFound",
        "MessageNotFound",
        "OrganizationNotFound",
      ])
    }).pipe(Effect.provide(engine())),
  )
})

describe("the timeline of a message", () => {
  const text = (organization: OrganizationId) =>
    Messages.use((_) => _.send({ organization, phoneNumber, text: "hello" }))

  const ofMessage = (organization: OrganizationId, sequence = 1) =>
    History.use((_) => _.message({ organization, sequence }))

  it.effect("that was rejected names the reason and the refund", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.flip(text(organization))
      const { message, reports, timeline } = yield* ofMessage(organization)
      assert.deepInclude(message, { sequence: 1, status: "rejected" })
      assert.deepStrictEqual(reports, [])
      assert.deepStrictEqual(timeline.map(line), [
        ...sms,
        "0 settled #1 rejected no such user",
        "0 refunded #1 0.50",
      ])
    }).pipe(Effect.provide(engine({ sms: refuse }))),
  )

  it.effect("whose node stopped names the second attempt", () =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* store.createOrganization(Samples.organization())
      yield* store.execute(Samples.topUp())
      const { charge } = Samples.draft()
      yield* store.execute(Samples.holdMessage())
      yield* after(71)
      yield* round
      const { timeline } = yield* ofMessage(Samples.organizationId)
      assert.deepStrictEqual(timeline.map(line).slice(1), [
        `0 held #1 ${Money.format(charge)}`,
        "0 attempt #1 1",
        "? attempt #1 2",
        "? unconfirmed #1 The node that was sending stopped",
      ])
    }).pipe(Effect.provide(engine())),
  )

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
        "20 settled #1 undelivered undelivered",
        "20 refunded #1 0.50",
      ])
      assert.deepStrictEqual(reads, [0, 20_000])
      reads.length = 0
      const open = yield* ofMessage(organization, 2)
      assert.deepStrictEqual(open.timeline.map(line).slice(3), [
        "? accepted #2",
        "620 settled #2 unknown No delivery report came in time",
        "620 refunded #2 0.50",
      ])
      // So many messages came to their deadline at the same time that the first rows of that time are of others.
      const last = yield* ofMessage(organization, 9)
      assert.deepStrictEqual(last.timeline.map(line).slice(3), [
        "? accepted #9",
        "? settled #9 unknown No delivery report came in time",
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
