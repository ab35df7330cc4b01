/**
 * The calls on a request after its code was sent, from the client to the engine and back.
 */
import { createClient } from "@countersign/client"
import type { Settings } from "@countersign/core/domain/organizations/Organization"
import * as HttpContract from "@countersign/testing/HttpContract"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as ContractSubject from "../support/ContractSubject.ts"
import { dataOf, errorOf } from "./results.ts"

const scope = Scope.makeUnsafe()
let subject: HttpContract.Subject["Service"]
let baseUrl: string

beforeAll(async () => {
  const layer = ContractSubject.layer("memory")
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  subject = Context.get(context, HttpContract.Subject)
  baseUrl = await subject.serve({})
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const phoneNumber = "+8801710000001"

const connected = async (limits: Settings["limits"] = {}) => {
  const host = await subject.organization({ settings: { limits } })
  return createClient({ baseUrl, apiKey: await host.createKey() }).verifications
}

const codeOf = async (): Promise<string> =>
  /\d{6}/.exec((await subject.journal(phoneNumber))[0]?.text ?? "")?.[0] ?? ""

describe("a request", () => {
  it("is sent again, verified by its number, and used up", async () => {
    const { check, consume, resend, send, status } = await connected()
    const metadata = { account: "a-17", tries: [1, null] }
    const input = { phoneNumber, purpose: "login", metadata }
    const { requestId } = dataOf(await send(input))
    const code = await codeOf()
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
    assert.strictEqual(await codeOf(), code)
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
    const { check, consume, resend, send } = await connected({ resendCooldownMillis: 0 })
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
    dataOf(await check({ requestId: sent.requestId, code: await codeOf() }))
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
