/**
 * The client and the engine understand each other: every outcome that the engine can be brought to, as a
 * caller of the client meets it.
 */
import { type ClientOptions, createClient } from "@countersign/client"
import type { OrganizationOptions } from "@countersign/testing/HttpContract"
import type { Settings } from "@countersign/core/domain/organizations/Organization"
import * as HttpContract from "@countersign/testing/HttpContract"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as Node from "@countersign/node/Node"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, assert, describe, it } from "vitest"
import * as ContractSubject from "../support/ContractSubject.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { dataOf, errorOf } from "./results.ts"

const { close, run } = temporaryScope()
afterAll(close)

const subjectOf = async (layer: ReturnType<typeof ContractSubject.layer>) =>
  Context.get(await run(Layer.build(layer)), HttpContract.Subject)

const subject = await subjectOf(ContractSubject.layer("memory"))
const baseUrl = await subject.serve({})

/** A new organization of the engine, and its client. */
const connected = async (
  organization: OrganizationOptions = {},
  options: Partial<ClientOptions> = {},
) => {
  const host = await subject.organization(organization)
  const apiKey = await host.createKey()
  return { host, apiKey, client: createClient({ baseUrl, apiKey, ...options }) }
}

let numbers = 0

/** An unused number. The simulated gateway's special endings keep their effect. */
const number = (ending?: string): string => {
  numbers += 1
  const index = String(numbers).padStart(3, "0")
  return ending === undefined ? `+8801710000${index}` : `+8801555${index}${ending}`
}

const codeAt = async (to: string): Promise<string> => {
  const [newest] = await subject.journal(to)
  const [code = ""] = /\d{4,10}/.exec(newest?.text ?? "") ?? []
  return code
}

const other = (code: string): string => code.replace(/^./, (digit) => String((+digit + 1) % 10))

describe("a code", () => {
  it("is sent and checked, and stays verified", async () => {
    const { client } = await connected()
    const phoneNumber = number()
    const sent = dataOf(await client.verifications.send({ phoneNumber }))
    const { requestId } = sent
    assert.deepStrictEqual(sent, {
      requestId,
      phoneNumber,
      channel: "sms",
      status: "pending",
      expiresInSeconds: 300,
    })
    const code = await codeAt(phoneNumber)
    const checked = dataOf(await client.verifications.check({ requestId, code }))
    assert.deepStrictEqual(checked, {
      requestId,
      phoneNumber,
      status: "verified",
      verifiedAt: new Date(subject.now()),
      isFirst: true,
    })
    const again = dataOf(await client.verifications.check({ requestId, code: other(code) }))
    assert.deepStrictEqual(again, { ...checked, isFirst: false })
  })

  it("is sent with the requested options", async () => {
    const { client, host } = await connected()
    await host.saveSender({ id: "brd_acme", kind: "masking", sender: "ACME" })
    const phoneNumber = number()
    const expiresIn = "1 minute"
    const input = {
      phoneNumber,
      codeLength: 8,
      expiresIn,
      locale: "bn-bd",
      sender: "ACME",
    } as const
    assert.strictEqual(dataOf(await client.verifications.send(input)).expiresInSeconds, 60)
    const [arrived] = await subject.journal(phoneNumber)
    assert.strictEqual(arrived?.sender, "ACME")
    assert.match(arrived?.text ?? "", /^\d{8} আপনার ACME/)
    const whatsapp = await client.verifications.send({ phoneNumber, channel: "whatsapp" })
    assert.strictEqual(dataOf(whatsapp).channel, "whatsapp")
  })

  it("is refused with the problems under the client's names", async () => {
    const { client } = await connected()
    const { check, send } = client.verifications
    const fields = {
      phoneNumber: "1",
      codeLength: 3,
      expiresIn: "59 seconds",
      locale: "fr",
    } as const
    const wrong = await send({ ...fields, sender: "X" })
    assert(!wrong.ok && wrong.error.code === "invalid_request")
    assert.sameMembers(Object.keys(wrong.error.details), [...Object.keys(fields), "sender"])
    const empty = await check({ requestId: "", code: "" })
    assert(!empty.ok && empty.error.code === "invalid_request")
    assert.sameMembers(Object.keys(empty.error.details), ["requestId", "code"])
    assert.deepStrictEqual(errorOf(await check({ requestId: "vrf_none", code: "1" })), {
      code: "request_not_found",
      status: 404,
    })
  })
})

describe("a message", () => {
  it("is sent, logged and paid for", async () => {
    const { client } = await connected({ balance: "1.5" })
    const to = number().slice(1)
    const sent = dataOf(await client.messages.send({ phoneNumber: to, text: "আপনার অর্ডার" }))
    assert.deepStrictEqual(sent, {
      gatewayId: sent.gatewayId,
      phoneNumber: to,
      channel: "sms",
      status: "delivered",
      creditsRemaining: 1,
    })
    assert.deepStrictEqual(dataOf(await client.balance()), { balance: 1, currency: "BDT" })
    const log = dataOf(await client.messages.list())
    assert.deepStrictEqual(log, {
      messages: [
        {
          id: log.messages[0]?.id ?? "",
          phoneNumber: to,
          text: "আপনার অর্ডার",
          channel: "non-mask",
          status: "delivered",
          price: "0.50",
          gatewayId: sent.gatewayId,
          errorMessage: null,
          createdAt: new Date(subject.now()),
        },
      ],
      page: 1,
      limit: 50,
      total: 1,
      totalPages: 1,
    })
  })

  it("is refused with its problems, and so is an invalid page", async () => {
    const { client } = await connected()
    const wrong = await client.messages.send({ phoneNumber: "1", text: "" })
    assert(!wrong.ok && wrong.error.code === "invalid_request")
    assert.strictEqual(wrong.error.status, 422)
    assert.sameMembers(Object.keys(wrong.error.details), ["phoneNumber", "text"])
    const page = await client.messages.list({
      limit: 201,
      page: 0,
      from: new Date(Number.NaN),
      to: "soon",
    })
    assert(!page.ok && page.error.code === "invalid_request")
    assert.sameMembers(Object.keys(page.error.details), ["limit", "page", "from", "to"])
  })
})

describe("a request", () => {
  const phoneNumber = "+8801719999001"

  const verificationsOf = async (limits: Settings["limits"] = {}) =>
    (await connected({ settings: { limits } })).client.verifications

  it("is sent again, verified by its number, and used up", async () => {
    const { check, consume, resend, send, status } = await verificationsOf()
    const metadata = { account: "a-17", tries: [1, null] }
    const input = { phoneNumber, purpose: "login", metadata }
    const { requestId } = dataOf(await send(input))
    const code = await codeAt(phoneNumber)
    const sentAt = subject.now()
    subject.advance(30_000)
    assert.deepStrictEqual(dataOf(await resend({ requestId, channel: "whatsapp" })), {
      requestId,
      phoneNumber,
      channel: "whatsapp",
      status: "pending",
      expiresInSeconds: 270,
      resendsRemaining: 2,
    })
    assert.strictEqual(await codeAt(phoneNumber), code)
    const other = await check({ phoneNumber, code, purpose: "pay" })
    assert.deepStrictEqual(errorOf(other), { code: "request_not_found", status: 404 })
    dataOf(await check({ phoneNumber, code, purpose: "login" }))
    const { proof, ...consumed } = dataOf(await consume({ requestId, purpose: "login" }))
    assert.match(proof ?? "", new RegExp(requestId))
    const now = new Date(subject.now())
    assert.deepStrictEqual(consumed, {
      requestId,
      phoneNumber,
      status: "verified",
      verifiedAt: now,
      consumedAt: now,
      purpose: "login",
      metadata,
    })
    const { messages, ...state } = dataOf(await status({ requestId }))
    assert.deepStrictEqual(state, {
      ...consumed,
      channel: "whatsapp",
      createdAt: new Date(sentAt),
      expiresAt: new Date(sentAt + 300_000),
      attemptsRemaining: 3,
      resendsRemaining: 0,
      resendAt: null,
    })
    assert.deepStrictEqual(
      messages.map(({ channel, createdAt }) => [channel, createdAt.getTime() - sentAt]),
      [
        ["sms", 0],
        ["whatsapp", 30_000],
      ],
    )
  })

  it("is repeated under the keys of its calls", async () => {
    const { check, consume, resend, send } = await verificationsOf({ resendCooldownMillis: 0 })
    const before = await subject.journal(phoneNumber)
    const idempotencyKey = "sign-up 17"
    const input = { phoneNumber, idempotencyKey }
    const sent = dataOf(await send(input))
    assert.deepStrictEqual(dataOf(await send(input)), sent)
    const mismatch = { code: "idempotency_mismatch", status: 422 }
    assert.deepStrictEqual(errorOf(await send({ ...input, expiresIn: "1 minute" })), mismatch)
    const call = { requestId: sent.requestId, idempotencyKey }
    const resent = dataOf(await resend(call))
    assert.deepStrictEqual(dataOf(await resend(call)), resent)
    assert.strictEqual(resent.resendsRemaining, 2)
    assert.strictEqual((await subject.journal(phoneNumber)).length, before.length + 2)
    dataOf(await check({ requestId: sent.requestId, code: await codeAt(phoneNumber) }))
    const consumed = dataOf(await consume(call))
    assert.deepStrictEqual(dataOf(await consume(call)), consumed)
    const used = { code: "already_consumed", status: 409, requestId: sent.requestId }
    assert.deepStrictEqual(errorOf(await consume({ requestId: sent.requestId })), used)
    for (const odd of ["", "k".repeat(256), "a\tb", "a\n", "অর্ডার ১৭"]) {
      const refused = await send({ phoneNumber, idempotencyKey: odd })
      assert(!refused.ok && refused.error.code === "invalid_request", odd)
      assert.deepStrictEqual(Object.keys(refused.error.details), ["idempotencyKey"])
    }
  })
})

describe("a service above its bounds", () => {
  /** Rejects every request. */
  const full: HttpContract.Serve<unknown> = (options) =>
    Effect.map(
      Layer.build(Node.layerServer({ port: 0, ...options, maxRequests: 0 })),
      (server) => `${Context.get(server, Node.NodeServer).origin}/api/v2`,
    )

  const layer = HttpContract.layer(full).pipe(
    Layer.provide([MemoryStore.layer, Node.layerCrypto]),
    Layer.provide(HttpContract.layerTime),
  )

  it("is retried, sends under their keys, and its error has the retry time", async () => {
    const waits: Array<number> = []
    const { client } = await connected(
      {},
      {
        baseUrl: await (await subjectOf(layer)).serve({}),
        delay: (millis) => {
          waits.push(millis)
          return Promise.resolve()
        },
      },
    )
    const unavailable = { code: "unavailable", status: 503, retryAfterSeconds: 1 }
    const sent = await client.verifications.send({ phoneNumber: number() })
    assert.deepStrictEqual(errorOf(sent), { ...unavailable, mayHaveTakenEffect: true })
    assert.lengthOf(waits, 2)
    const balance = await client.balance()
    assert.deepStrictEqual(errorOf(balance), { ...unavailable, mayHaveTakenEffect: false })
    assert.lengthOf(waits, 4)
  })
})
