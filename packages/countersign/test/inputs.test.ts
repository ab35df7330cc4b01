import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Countersign, DeliveryReport } from "../src/index.ts"
import { InvalidRequestError } from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone, untyped } from "./support/values.ts"

const { host } = hosts()

let engine: Countersign

beforeAll(async () => {
  engine = (await host()).engine
  await engine.messages.send({ phoneNumber: phone(), text: "x" })
})
afterAll(() => engine.dispose())

type Call = (value: never) => Promise<unknown>

const sendVerification =
  (field: string): Call =>
  (value) =>
    engine.verifications.send({ phoneNumber: phone(), [field]: value })

const sendMessage =
  (field: string): Call =>
  (value) =>
    engine.messages.send({ phoneNumber: phone(), text: "x", [field]: value })

const createSender =
  (field: string): Call =>
  (value) =>
    engine.senders.create({ kind: "masking", value: "ACME", [field]: value })

const receive =
  (field: string): Call =>
  (value) =>
    engine.reports.receive({ messageSequence: 1, status: "accepted", [field]: value })

/** Each with a field that it takes, and values of the wrong type. */
const calls: ReadonlyArray<readonly [method: string, field: string, Call, ReadonlyArray<unknown>]> =
  [
    ...["phoneNumber", "sender", "organization"].map(
      (field) => ["verifications.send", field, sendVerification(field), [5, {}, null]] as const,
    ),
    ["verifications.send", "channel", sendVerification("channel"), [5, {}, "fax"]],
    ["verifications.send", "codeLength", sendVerification("codeLength"), ["6", {}, 6.5]],
    ["verifications.send", "expiresIn", sendVerification("expiresIn"), [300, "300", "2 hours", {}]],
    ["verifications.send", "locale", sendVerification("locale"), [5, {}, ["en-us"]]],
    [
      "verifications.check",
      "requestId",
      (requestId) => engine.verifications.check({ requestId, code: "1" }),
      [5, {}, null, undefined],
    ],
    [
      "verifications.check",
      "code",
      (code) => engine.verifications.check({ requestId: "vrf", code }),
      [123_456, {}, null, undefined],
    ],
    [
      "verifications.resend",
      "client",
      (client) => engine.verifications.resend({ requestId: "vrf", client }),
      [5, {}, null, ""],
    ],
    [
      "verifications.status",
      "requestId",
      (requestId) => engine.verifications.get({ requestId }),
      [5, {}, null, undefined],
    ],
    ...["phoneNumber", "sender", "organization"].map(
      (field) => ["messages.send", field, sendMessage(field), [5, {}, null]] as const,
    ),
    ["messages.send", "text", sendMessage("text"), [5, {}, null, "a\u0000", "\ud800", ""]],
    ["messages.send", "channel", sendMessage("channel"), [5, {}, "fax"]],
    [
      "messages.preview",
      "text",
      (text) => engine.messages.preview({ text }),
      [5, {}, null, "a\u0000"],
    ],
    [
      "messages.preview",
      "phoneNumber",
      (phoneNumber) => engine.messages.preview({ text: "x", phoneNumber }),
      [5, {}, null, "0171"],
    ],
    ["messages.list", "limit", (limit) => engine.messages.list({ limit }), ["5", {}, 0.5]],
    ["messages.list", "from", (from) => engine.messages.list({ from }), ["2020-01-01", 5, null]],
    [
      "account.topUp",
      "paymentId",
      (paymentId) => engine.account.topUp({ amount: "1", paymentId }),
      [5, {}, null, ""],
    ],
    [
      "account.topUp",
      "note",
      (note) => engine.account.topUp({ amount: "1", note }),
      [5, {}, null, "a\u0000"],
    ],
    ["account.topUp", "amount", (amount) => engine.account.topUp({ amount }), [1, {}, null]],
    [
      "account.adjust",
      "note",
      (note) => engine.account.adjust({ amount: "1", note }),
      [5, {}, null, "\ud800"],
    ],
    [
      "audit.record",
      "action",
      (action) => engine.audit.record({ action }),
      [5, {}, null, "", "a\u0000"],
    ],
    [
      "audit.record",
      "reason",
      (reason) => engine.audit.record({ action: "login", reason }),
      [5, {}, null, ""],
    ],
    ["audit.list", "cursor", (cursor) => engine.audit.list({ cursor }), [1, {}, null, "x"]],
    ["audit.list", "actor", (actor) => engine.audit.list({ actor }), [5, {}, null]],
    ["audit.list", "action", (action) => engine.audit.list({ action }), [5, {}, null]],
    ["audit.list", "target", (target) => engine.audit.list({ target }), [5, {}, null]],
    ["audit.list", "from", (from) => engine.audit.list({ from }), ["2026-01-01", 5, null]],
    ["audit.list", "to", (to) => engine.audit.list({ to }), ["2026-01-01", 5, new Date(NaN)]],
    [
      "account.entries",
      "after",
      (after) => engine.account.entries({ after }),
      ["1", {}, 0.5, null],
    ],
    [
      "account.entries",
      "limit",
      (limit) => engine.account.entries({ limit }),
      ["1", {}, 0.5, null],
    ],
    [
      "account.statement",
      "from",
      (from) => engine.account.statement({ from, to: new Date() }),
      [undefined, 5, {}, null, new Date(Number.NaN)],
    ],
    [
      "account.statementCsv",
      "to",
      (to) => engine.account.statementCsv({ from: new Date(), to }),
      [undefined, 5, {}, null, new Date(Number.NaN)],
    ],
    [
      "totals.read",
      "every",
      (every) => engine.totals.read({ from: new Date(), to: new Date(), every }),
      ["week", 5, null],
    ],
    [
      "totals.read",
      "kinds",
      (kinds) => engine.totals.read({ from: new Date(), to: new Date(), kinds }),
      ["messages", ["sends"], [null], {}, null],
    ],
    [
      "totals.read",
      "by",
      (by) => engine.totals.read({ from: new Date(), to: new Date(), by }),
      ["channel", ["kind"], [5], {}, null],
    ],
    ["apiKeys.create", "name", (name) => engine.apiKeys.create({ name }), [5, {}, null, undefined]],
    [
      "apiKeys.create",
      "environment",
      (environment) => engine.apiKeys.create({ name: "key", environment }),
      [5, {}, "prod"],
    ],
    [
      "apiKeys.create",
      "expiresAt",
      (expiresAt) => engine.apiKeys.create({ name: "key", expiresAt }),
      [5, {}, null, "2100-01-01", new Date(Number.NaN), new Date(0)],
    ],
    [
      "apiKeys.create",
      "scopes",
      (scopes) => engine.apiKeys.create({ name: "key", scopes }),
      [5, {}, null, "verify:send", [], [5], ["verify"]],
    ],
    ["senders.withdraw", "id", (id) => engine.senders.withdraw({ id }), [5, {}, null, undefined]],
    ["apiKeys.revoke", "id", (id) => engine.apiKeys.revoke({ id }), [5, {}, null, undefined]],
    ["senders.create", "kind", createSender("kind"), [5, {}, null, undefined, "mask"]],
    ["senders.create", "value", createSender("value"), [5, {}, null, undefined, "a\u0000"]],
    ["senders.create", "status", createSender("status"), [5, {}, "ok", "withdrawn"]],
    ["senders.create", "isDefault", createSender("isDefault"), [1, {}, null, "yes"]],
    [
      "organizations.create",
      "id",
      (id) => engine.organizations.create({ id }),
      [5, {}, null, undefined],
    ],
    [
      "organizations.create",
      "name",
      (name) => engine.organizations.create({ id: "new", name }),
      [5, {}, null, "a\u0000", "\ud800"],
    ],
    [
      "organizations.create",
      "allowList",
      (allowList) => engine.organizations.create({ id: "new", allowList }),
      ["192.0.2.1", [5], {}, null, 5],
    ],
    [
      "organizations.update",
      "limits",
      (limits) =>
        engine.organizations.update({ id: "default", ...(limits === undefined ? {} : { limits }) }),
      [
        5,
        null,
        [],
        "none",
        { codeLength: 6 },
        { codeLength: null },
        { resendCooldown: 30_000 },
        { expiresIn: "5 minutes" },
        { expiresIn: { min: 60, max: 300, default: 300 } },
        { pageSize: true },
        { sendsPerNumber: 5 },
        { sendsPerNumber: { max: 1, per: 60 } },
        { pendingPerNumber: "5" },
        { attempts: null },
        { messageLength: {} },
        { spendPerDay: 5 },
      ],
    ],
    [
      "organizations.update",
      "name",
      (name) => engine.organizations.update({ id: "default", name }),
      [5, {}, null, ""],
    ],
    [
      "organizations.list",
      "cursor",
      (cursor) => engine.organizations.list({ cursor }),
      [5, {}, null, "no id"],
    ],
    ["organizations.list", "limit", (limit) => engine.organizations.list({ limit }), ["5", {}]],
    ["fraud.findings", "limit", (limit) => engine.fraud.findings({ limit }), ["5", {}, null]],
    ["reports.receive", "messageSequence", receive("messageSequence"), ["1", 0, null, {}]],
    ["reports.receive", "organization", receive("organization"), [5, null, {}]],
    ["reports.receive", "status", receive("status"), [5, null, "sent", undefined]],
    ["reports.receive", "detail", receive("detail"), [7, { code: 7 }, true]],
    ["reports.receive", "reason", receive("reason"), [5, null, "blocked"]],
    ["reports.receive", "token", receive("token"), [5, null, {}]],
    ["reports.receive", "gateway", receive("gateway"), [5, null, "no such gateway"]],
    ["reports.receive", "evidence", receive("evidence"), [7, "x", null]],
    ["reports.receive", "unreachable", receive("unreachable"), ["yes", 1, null]],
    [
      "reports.receive",
      "gatewayId",
      (gatewayId) => engine.reports.receive({ gatewayId, status: "accepted" }),
      [7, {}, null, undefined, ""],
    ],
    [
      "reports.receive",
      "gateway",
      (gateway) => engine.reports.receive({ gateway, gatewayId: "g", status: "accepted" }),
      [7, {}, null],
    ],
  ]

/** Everything that a call could have written. */
const everything = async () => ({
  balance: await engine.account.balance(),
  entries: await engine.account.entries(),
  senders: await engine.senders.list(),
  keys: await engine.apiKeys.list(),
  organizations: await engine.organizations.list(),
  settings: await engine.organizations.get({ id: "default" }),
  messages: await engine.messages.list(),
})

/** An input whose field cannot be read. */
const throwing = (field: string, rest: object = {}): object =>
  Object.defineProperty({ ...rest }, field, {
    enumerable: true,
    get: () => {
      throw new Error("not loaded")
    },
  })

class Lazy {
  get phoneNumber(): string {
    throw new Error("not loaded")
  }
}

describe("an input that cannot be read", () => {
  const methods = ["send", "resend", "cancel", "consume", "check", "get", "resetGuesses"] as const

  it.each(methods)("is an invalid request of verifications.%s", async (name) => {
    const method: (input?: unknown) => Promise<unknown> = untyped(engine.verifications[name])
    for (const args of [[null], [undefined], []]) {
      const error = await failure(method(...args))
      assert.instanceOf(error, InvalidRequestError)
      assert.deepStrictEqual(
        error.details["input"]?.map(({ code }) => code),
        ["not_object"],
      )
    }
    const field = name === "send" || name === "resetGuesses" ? "phoneNumber" : "requestId"
    const whole = {
      [field]: field === "requestId" ? "vrf" : phone(),
      ...(name === "check" && { code: "1" }),
    }
    for (const member of [field, "organization"]) {
      const error = await failure(method(throwing(member, whole)))
      assert.instanceOf(error, InvalidRequestError)
      const codes = error.details[member]?.map(({ code }) => code)
      assert.deepStrictEqual(codes, ["unreadable"])
      assert.notInclude(error.message, "not loaded")
    }
  })

  it.each([
    ["of a class", new Lazy(), "phoneNumber"],
    [
      "within a field",
      { phoneNumber: phone(), payment: throwing("amount", { payee: "Acme" }) },
      "payment",
    ],
  ] as const)("names its field: a member %s", async (_, input, field) => {
    const error = await failure(engine.verifications.send(untyped(input)))
    assert.instanceOf(error, InvalidRequestError)
    assert.deepStrictEqual(Object.keys(error.details), [field])
  })

  it("is one of the settings of an organization", async () => {
    const error = await failure(engine.organizations.update(untyped(null)))
    assert.instanceOf(error, InvalidRequestError)
    const limits = throwing("sendsPerNumber")
    const other = await failure(engine.organizations.update({ id: "default", limits }))
    assert.instanceOf(other, InvalidRequestError)
    assert.deepStrictEqual(Object.keys(other.details), ["limits"])
  })
})

describe("A value of the wrong type", () => {
  it.each(calls)(
    "is refused with the name of its field, and not written: %s, %s",
    async (...row) => {
      const [, field, call, values] = row
      const before = await everything()
      for (const value of values) {
        const error = await failure(call(untyped(value)))
        assert.instanceOf(error, InvalidRequestError, JSON.stringify(value))
        // A member of an object is named after it, as in `limits.codeLength`.
        const names = new Set(Object.keys(error.details).map((name) => name.split(".")[0]))
        assert.deepStrictEqual([...names], [field], JSON.stringify(value))
      }
      assert.deepStrictEqual(await everything(), before)
    },
  )

  it("does not include a null detail of a report", async () => {
    const report: DeliveryReport = { messageSequence: 1, status: "accepted", detail: untyped(null) }
    assert.strictEqual(await engine.reports.receive(report), "applied")
  })
})
