import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as FieldProblem from "../../src/domain/values/FieldProblem.ts"
import * as FieldReaders from "../../src/domain/values/FieldReaders.ts"
import type { Parsed } from "../../src/api/Caller.ts"
import { MessageNotFound, OrganizationNotFound } from "../../src/domain/errors/Errors.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Message from "../../src/domain/messages/Message.ts"
import { type ListMessages, Messages, type SendMessage } from "../../src/services/Messages.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Senders } from "../../src/services/Senders.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import type { GatewayMessage } from "../../src/ports/Gateway.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { type Behaviour, SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { invalidFields } from "../support/invalidFields.ts"
import { moneyOf } from "../support/log.ts"
import { untyped } from "../support/untyped.ts"
import { engineTest, testOn } from "../support/engineTest.ts"
import * as Pricing from "../../src/decide/Pricing.ts"

const to = PhoneNumber.fromE164("+8801712345678")

const send = (organization: OrganizationId, input: Partial<Parsed<SendMessage>> = {}) =>
  Messages.use((_) =>
    _.send({ organization, phoneNumber: to, text: "Your parcel is here", ...input }),
  )

const list = (organization: OrganizationId, input: Partial<Parsed<ListMessages>> = {}) =>
  Messages.use((_) => _.list({ organization, ...input }))

const newest = (organization: OrganizationId) =>
  Effect.map(list(organization), ({ messages }) => messages[0])

const behaving = (behaviour: Behaviour) =>
  TestEngine.layer({ gateway: { behave: () => behaviour } })

describe("Messages.send", () => {
  engineTest("sends a text unchanged, and logs it", function* () {
    const { organization } = yield* TestEngine.open()
    const text = "  আপনার পার্সেল এসেছে 📦\n\tline two  "
    const sent = yield* send(organization, { text })
    const gateway = yield* SimulatedGateway
    const [entry] = yield* gateway.journal(to)
    assert.deepInclude(entry, {
      text,
      phoneNumber: to,
      sender: "8809600000000",
      outcome: "delivered",
    })
    assert.deepStrictEqual(sent, {
      id: `${entry?.id}_1`,
      sequence: 1,
      logStatus: "delivered",
      price: Money.make("0.5"),
      gatewayId: `sim_${entry?.id}`,
      phoneNumber: to,
      channel: "sms",
      status: "delivered",
      balance: Money.make("99.5"),
    })
    assert.deepInclude(yield* newest(organization), {
      text,
      phoneNumber: to,
      status: "delivered",
    })
  })

  const invalid: ReadonlyArray<
    readonly [Partial<Parsed<SendMessage>>, fields: ReadonlyArray<string>]
  > = [
    [{ phoneNumber: "x" }, ["phoneNumber"]],
    [{ phoneNumber: "8801012345678" }, ["phoneNumber"]],
    [{ text: "" }, ["text"]],
    [{ text: "x".repeat(1_601) }, ["text"]],
    [{ text: "\ud83d" }, ["text"]],
    [{ text: "a\u0000b" }, ["text"]],
    [{ phoneNumber: "", text: "" }, ["phoneNumber", "text"]],
    [{ text: FieldProblem.make("not_string", {}) }, ["text"]],
    [{ channel: untyped("fax") }, ["channel"]],
    [{ class: FieldReaders.messageClass("urgent") }, ["class"]],
    [{ text: "", sender: "unknown" }, ["text"]],
  ]
  engineTest.each(invalid)("refuses %j, saying %j", function* ([input, fields]) {
    const { organization } = yield* TestEngine.open()
    assert.deepStrictEqual(yield* invalidFields(send(organization, input)), fields)
    assert.isUndefined(yield* newest(organization))
  })

  engineTest.each([
    [1_600, "x"],
    [1_600, "ক"],
    [1, "x"],
    [1, " "],
    [800, "😀"],
  ] as const)("accepts a text of %i times %j", function* ([times, letter]) {
    const { organization } = yield* TestEngine.open()
    const text = letter.repeat(times)
    yield* send(organization, { text })
    assert.strictEqual((yield* newest(organization))?.text, text)
  })

  engineTest("refuses to send by an unusable sender, and says why", function* () {
    const { organization } = yield* TestEngine.open()
    const refused = yield* Effect.flip(send(organization, { sender: "profile" }))
    const problem = FieldProblem.make("brand_wrong_channel", { channel: "sms" })
    assert.deepInclude<object>(refused, { _tag: "SenderUnusable", problem })
  })

  const classes: Array<string> = []
  const noting = ({ class: messageClass, purpose }: Pick<GatewayMessage, "class" | "purpose">) => {
    classes.push(`${purpose} ${messageClass}`)
    return { _tag: "Deliver" } as const
  }
  testOn(TestEngine.layer({ gateway: { behave: noting } }))(
    "tells the gateway the class, which only a sender of this class may have",
    function* () {
      const { organization } = yield* TestEngine.open()
      const promotional = { class: "promotional" } as const
      yield* send(organization)
      yield* send(organization, promotional)
      yield* Senders.use((_) =>
        _.create({ organization, kind: "masking", value: "SHOP", ...promotional }),
      )
      yield* send(organization, { ...promotional, sender: "SHOP" })
      yield* Verifications.use((_) => _.send({ organization, phoneNumber: to }))
      assert.deepStrictEqual(classes.splice(0), [
        "message transactional",
        "message promotional",
        "message promotional",
        "verification transactional",
      ])
      const problem = FieldProblem.make("brand_wrong_class", { class: "transactional" })
      const refused = yield* Effect.flip(send(organization, { sender: "SHOP" }))
      assert.deepInclude<object>(refused, { _tag: "SenderUnusable", problem })
      const code = Verifications.use((_) =>
        _.send({ organization, phoneNumber: to, sender: "SHOP" }),
      )
      assert.deepStrictEqual(yield* invalidFields(code), ["sender"])
    },
  )

  testOn(TestEngine.layer({ gateway: { isOnWhatsApp: () => false } }))(
    "runs its guards in one order, and a guard that refuses has no other effect",
    function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.zero })
      const limits = { messagesPerOrganization: { max: 3, windowMillis: 60_000 } }
      yield* Organizations.use((_) => _.update({ id: organization, allowList: ["::1"], limits }))
      const everythingWrong = {
        address: "198.51.100.1",
        phoneNumber: "x",
        sender: "x",
        channel: "whatsapp",
      } as const
      const tags = yield* Effect.forEach(
        [
          everythingWrong,
          { ...everythingWrong, address: "::1" },
          { ...everythingWrong, address: "::1", phoneNumber: to },
          // Counted from here on.
          { address: "::1", channel: "whatsapp" },
          { address: "::1" },
          { address: "::1" },
          { address: "::1" },
        ] satisfies ReadonlyArray<Partial<SendMessage>>,
        (input) => Effect.map(Effect.flip(send(organization, input)), ({ _tag }) => _tag),
      )
      assert.deepStrictEqual(tags, [
        "AddressNotAllowed",
        "InvalidRequest",
        "SenderUnusable",
        "NotOnWhatsApp",
        "InsufficientBalance",
        "InsufficientBalance",
        "RateLimited",
      ])
      assert.isUndefined(yield* newest(organization))
    },
  )

  const outcomes: ReadonlyArray<
    readonly [Behaviour, answer: string, logged: string, money: string]
  > = [
    [{ _tag: "NeverReport" }, "delivered", "accepted, open", "99.50 + 0.50 held, 2 entries"],
    [
      { _tag: "Reject", message: "barred" },
      "failed",
      "rejected, released",
      "100.00 + 0.00 held, 3 entries",
    ],
    [{ _tag: "NeverAnswer" }, "unknown", "unknown, open", "99.50 + 0.50 held, 2 entries"],
  ]
  it.effect.each(
    outcomes.map(([behaviour, ...rest]) => [behaviour._tag, ...rest, behaviour] as const),
  )(
    "with a gateway told to %s it answers %s, logs %s, and leaves %s",
    ([, answer, logged, money, behaviour]) =>
      Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        const fiber = yield* Effect.forkChild(Effect.result(send(organization)))
        yield* TestClock.adjust(10_000)
        const result = yield* Fiber.join(fiber)
        if (result._tag === "Success") assert.strictEqual(result.success.status, answer)
        else assert.deepInclude<unknown>(result.failure, { _tag: "SendingFailed", status: answer })
        const message = yield* newest(organization)
        assert.strictEqual(`${message?.status}, ${message?.hold}`, logged)
        assert.strictEqual(yield* moneyOf(organization), money)
      }).pipe(Effect.provide(behaving(behaviour))),
  )

  engineTest("sends exactly as many parallel messages as the balance pays for", function* () {
    const { organization } = yield* TestEngine.open({ balance: Money.make("1.9") })
    const results = yield* Effect.forEach(
      Array.from({ length: 20 }),
      () => Effect.result(send(organization)),
      { concurrency: "unbounded" },
    )
    const sent = results.filter(({ _tag }) => _tag === "Success")
    assert.strictEqual(sent.length, 3)
    const gateway = yield* SimulatedGateway
    assert.strictEqual(yield* gateway.dispatches, 3)
    assert.strictEqual(yield* moneyOf(organization), "0.40 + 0.00 held, 7 entries")
  })
})

describe("Messages.list", () => {
  engineTest("pages through the log, newest first, with exact totals", function* () {
    const { organization } = yield* TestEngine.open()
    yield* Effect.forEach(Array.from({ length: 7 }), (_, index) =>
      send(organization, { text: `${index}` }),
    )
    const pages = yield* Effect.forEach([1, 2, 3, 4], (page) =>
      list(organization, { page, limit: 3 }),
    )
    assert.deepStrictEqual(
      pages.map(({ messages }) => messages.map(({ text }) => text).join("")),
      ["654", "321", "0", ""],
    )
    // A period with one end is no period.
    for (const half of [{ from: 1 }, { to: -1 }]) {
      assert.deepInclude(yield* list(organization, half), { total: 7, limit: 50 })
    }
    for (const [index, page] of pages.entries()) {
      assert.deepInclude(page, { page: index + 1, limit: 3, total: 7, totalPages: 3 })
    }
  })

  const invalid: ReadonlyArray<
    readonly [Partial<Parsed<ListMessages>>, fields: ReadonlyArray<string>]
  > = [
    [{ limit: 0 }, ["limit"]],
    [{ limit: 201 }, ["limit"]],
    [{ page: 0 }, ["page"]],
    [{ page: Number.MAX_SAFE_INTEGER }, ["page"]],
    [{ from: 2, to: 1 }, ["from"]],
    [{ limit: 0, page: 0, from: 2, to: 1 }, ["from", "limit", "page"]],
    [{ to: FieldProblem.make("not_iso_date", {}) }, ["to"]],
  ]
  engineTest.each(invalid)("refuses %j, saying %j", function* ([input, fields]) {
    const { organization } = yield* TestEngine.open()
    assert.deepStrictEqual(yield* invalidFields(list(organization, input)), fields)
  })

  engineTest("shows an organization only its own messages", function* () {
    const mine = yield* TestEngine.open({ id: "mine" })
    const theirs = yield* TestEngine.open({ id: "theirs" })
    yield* send(theirs.organization)
    assert.strictEqual((yield* list(mine.organization)).total, 0)
    assert.strictEqual((yield* list(theirs.organization)).total, 1)
  })
})

describe("Messages.get", () => {
  const get = (organization: OrganizationId, id: string) =>
    Messages.use((_) => _.get({ organization, id }))

  engineTest("finds an entry of the organization's own log by its id", function* () {
    const mine = yield* TestEngine.open({ id: "mine" })
    const theirs = yield* TestEngine.open({ id: "theirs" })
    for (const text of ["one", "two"]) yield* send(mine.organization, { text })
    yield* send(theirs.organization)
    const { messages } = yield* list(mine.organization)
    for (const message of messages) {
      const id = Message.logId(message)
      assert.deepStrictEqual(yield* get(mine.organization, id), message)
      assert.instanceOf(yield* Effect.flip(get(theirs.organization, id)), MessageNotFound)
      assert.instanceOf(yield* Effect.flip(get(mine.organization, message.id)), MessageNotFound)
      assert.instanceOf(yield* Effect.flip(get(mine.organization, `${id}0`)), MessageNotFound)
    }
    assert.instanceOf(yield* Effect.flip(get(mine.organization, "")), MessageNotFound)
    const unknown = get(OrganizationId("unknown"), "msg")
    assert.instanceOf(yield* Effect.flip(unknown), OrganizationNotFound)
  })
})

const euros = Pricing.perSegment({
  sms: Money.make("0.07"),
  whatsapp: Money.zero,
  currency: "EUR",
})

describe("Messages.preview", () => {
  it.effect("returns the price of a text, and sends nothing", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const text = "আপনার পার্সেল এসেছে। ".repeat(4)
      const preview = yield* Messages.use((_) => _.preview({ organization, text }))
      assert.deepStrictEqual(preview, {
        segments: { encoding: "ucs2", units: 84, segments: 2, remaining: 50 },
        price: Money.make("0.14"),
        currency: "EUR",
      })
      assert.isUndefined(yield* newest(organization))
      yield* send(organization, { text })
      assert.strictEqual((yield* newest(organization))?.charge, preview.price)
    }).pipe(Effect.provide(TestEngine.layer()), Effect.provideService(Pricing.Pricing, euros)),
  )

  engineTest.each(["", "x".repeat(1_601), "\ud83d", "a\u0000b"])(
    "refuses %j with the same error as sending",
    function* (text) {
      const { organization } = yield* TestEngine.open()
      const refused = Messages.use((_) => _.preview({ organization, text }))
      assert.deepStrictEqual(yield* invalidFields(refused), ["text"])
      const sending = yield* Effect.flip(send(organization, { text }))
      assert.deepStrictEqual<unknown>(yield* Effect.flip(refused), sending)
    },
  )
})
