import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { failure, phone } from "./support/values.ts"
import { hosts } from "./support/host.ts"

const { host } = hosts()

describe("a host with one organization", () => {
  it("verifies a number without organizations, senders or money", async () => {
    const { engine, gateway } = await host()
    const number = phone()
    assert.throws(() => gateway.latestCode(number), `No code was sent to ${number}`)
    const { requestId, ...sent } = await engine.verifications.send({ phoneNumber: number })
    const pending = await engine.verifications.get({ requestId })
    assert.strictEqual(pending.status, "pending")
    assert.deepInclude(pending, sent)
    assert.strictEqual(pending.expiresAt.getTime() - pending.createdAt.getTime(), 300_000)
    const code = gateway.latestCode(number)
    const checked = await engine.verifications.check({ requestId, code })
    assert.strictEqual(checked.phoneNumber, number)
    assert.isTrue(checked.isFirst)
    const again = await engine.verifications.check({ requestId, code: "not even a code" })
    assert.deepStrictEqual(again, { ...checked, isFirst: false })
    const verified = await engine.verifications.get({ requestId })
    assert.deepInclude(verified, { status: "verified", verifiedAt: checked.verifiedAt })
    assert.isNull((await engine.verifications.consume({ requestId })).proof)
  })

  it("sends messages and reads the log, in which codes are masked", async () => {
    const { engine } = await host()
    const number = phone()
    const sent = await engine.messages.send({ phoneNumber: number, text: "hello" })
    assert.strictEqual(sent.balance, "0.00")
    await engine.messages.send({ phoneNumber: number, text: "over whatsapp", channel: "whatsapp" })
    await engine.verifications.send({ phoneNumber: number })
    const { items: messages } = await engine.messages.list({ limit: 3 })
    for (const message of messages) {
      assert.deepStrictEqual(await engine.messages.get({ id: message.id }), message)
    }
    const unknown = await failure(engine.messages.get({ id: "msg_1" }))
    assert.instanceOf(unknown, Countersign.MessageNotFoundError)
    assert.deepStrictEqual(
      messages.map(({ channel, price, sender, status, phoneNumber }) => [
        channel,
        price,
        sender,
        status,
        phoneNumber,
      ]),
      [
        ["sms", "0.00", "default", "delivered", number],
        ["whatsapp", "0.00", "default", "delivered", number],
        ["sms", "0.00", "default", "delivered", number],
      ],
    )
    assert.match(messages[0]?.text ?? "", /^••••••/)
    const { createdAt } = messages[0] ?? assert.fail()
    assert.strictEqual(await engine.messages.count({ from: new Date(0), to: new Date(1) }), 0)
    assert.isAtLeast(await engine.messages.count({ from: createdAt, to: new Date() }), 1)
  })

  it("sends events of commits to a listener until it unsubscribes", async () => {
    const { engine, gateway } = await host()
    const number = phone()
    const heard: Array<string> = []
    const verified = Promise.withResolvers<void>()
    const end = engine.subscribe((event) => {
      if (!("phoneNumber" in event) || event.phoneNumber !== number) return
      heard.push(event.type)
      if (event.type === "verified") verified.resolve()
      throw new Error("a listener that fails must not matter")
    })
    const { requestId } = await engine.verifications.send({ phoneNumber: number })
    await engine.verifications.check({ requestId, code: gateway.latestCode(number) })
    await verified.promise
    end()
    await engine.verifications.send({ phoneNumber: number })
    assert.deepStrictEqual(heard, ["verification_sent", "verified"])
  })
})

describe("gateways written with promises", () => {
  it("that throw, hang or lack functions leave nothing unsettled, and their errors are not repeated", async () => {
    const modes: Record<string, Countersign.Gateway["send"]> = {
      throws: () => Promise.reject(new Error("secret text of the message")),
      hangs: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("gone")))
        }),
    }
    let mode = "throws"
    const sms: Countersign.Gateway = {
      name: "own",
      timeout: "50 milliseconds",
      send: (message, options) => modes[mode]?.(message, options) ?? assert.fail(),
    }
    const { engine, lines } = await host({ gateways: { sms } })
    for (const each of ["throws", "hangs"]) {
      mode = each
      const error = await failure(engine.messages.send({ phoneNumber: phone(), text: "x" }))
      assert.instanceOf(error, Countersign.SendingFailedError)
      assert.strictEqual(error.status, "unknown")
    }
    const missing = engine.messages.send({ phoneNumber: phone(), text: "x", channel: "whatsapp" })
    const error = await failure(missing)
    assert.instanceOf(error, Countersign.SendingFailedError)
    assert.strictEqual(error.status, "failed")
    const { items: messages } = await engine.messages.list()
    assert.deepStrictEqual(
      messages.map(({ status }) => status),
      ["failed", "unknown", "unknown"],
    )
    assert.notInclude(JSON.stringify([messages, lines]), "secret text")
    assert.lengthOf(
      lines.filter((line) => line.includes("A gateway has thrown")),
      1,
    )
  })

  it("check WhatsApp reachability before the charge", async () => {
    const whatsapp: Countersign.Gateway = {
      ...Countersign.developmentGateway(),
      isReachable: async (to) => (to.endsWith("1") ? "no" : "yes"),
    }
    const { engine } = await host({ gateways: { whatsapp } })
    const to = (last: string) => `+880171234567${last}`
    const refused = engine.messages.send({ phoneNumber: to("1"), text: "x", channel: "whatsapp" })
    assert.instanceOf(await failure(refused), Countersign.NotOnWhatsAppError)
    await engine.messages.send({ phoneNumber: to("2"), text: "x", channel: "whatsapp" })
  })
})

describe("many organizations", () => {
  it("cannot see each other's data", async () => {
    const { engine, gateway } = await host({ prices: { sms: "1" } })
    await engine.organizations.create({ id: "acme", name: "Acme" })
    const twice = engine.organizations.create({ id: "acme" })
    assert.instanceOf(await failure(twice), Countersign.OrganizationExistsError)
    const sender = { kind: "non-masking", value: "8809612000101", isDefault: true } as const
    const acme = engine.organization("acme")
    await acme.senders.create(sender)
    await acme.account.topUp({ amount: "5" })
    const number = phone()
    const { requestId } = await acme.verifications.send({ phoneNumber: number })
    assert.strictEqual(gateway.messages(number)[0]?.sender, "8809612000101")
    const code = gateway.latestCode(number)
    assert.instanceOf(
      await failure(engine.verifications.check({ requestId, code })),
      Countersign.RequestNotFoundError,
    )
    await acme.verifications.check({ requestId, code })
    assert.strictEqual((await acme.account.balance()).balance, "4.00")
    assert.strictEqual((await engine.account.balance()).balance, "0.00")
    const nothing = {
      isSuspended: false,
      hasDefaultSender: true,
      pendingSenders: 0,
      messagesLastDay: 0,
      held: "0.00",
      activeApiKeys: 0,
    }
    assert.deepStrictEqual((await engine.organizations.list()).items, [
      { ...nothing, id: "acme", name: "Acme", balance: "4.00", messagesLastDay: 1 },
      { ...nothing, id: "default", name: "default", balance: "0.00" },
    ])
    for (const organization of ["unknown", "not a name"]) {
      const error = await failure(engine.organization(organization).account.balance())
      assert.instanceOf(error, Countersign.OrganizationNotFoundError)
    }
  })
})
