import { assert, describe, it } from "vitest"
import type * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"

const { host } = hosts()

/** A host with a verified request of a number, and a message under an idempotency key. */
const used = async () => {
  const { engine, gateway } = await host({ database: "memory" })
  const phoneNumber = phone()
  const client = "a visitor"
  const { requestId } = await engine.verifications.send({
    phoneNumber,
    purpose: "login",
    metadata: { user: 7 },
  })
  await engine.verifications.check({
    requestId,
    code: gateway.latestCode(phoneNumber),
    purpose: "login",
    client,
  })
  const message = { phoneNumber, text: "Your parcel is here", idempotencyKey: "parcel 1" }
  await engine.messages.send(message)
  return { engine, gateway, phoneNumber, requestId, message }
}

const exported = async (engine: Countersign.Countersign, phoneNumber: string) => {
  const records: Array<Countersign.PersonalRecord> = []
  for await (const record of engine.privacy.export({ phoneNumber })) records.push(record)
  return records
}

describe("an export", () => {
  it("has the documented fields of everything that is stored of a number, as JSON", async () => {
    const { engine, phoneNumber, requestId } = await used()
    const records = await exported(engine, phoneNumber)
    const [limits, parcel, code, verification, sent, verified, answer] = records
    assert.lengthOf(records, 7)
    const { items: messages } = await engine.messages.list()
    assert.deepStrictEqual<unknown>(
      [parcel, code],
      messages.map((message) => ({ type: "message", ...message, reports: [] })),
    )
    const { items: events } = await engine.events.list()
    const ofRequest = events.filter((event) => "requestId" in event)
    assert.deepStrictEqual<unknown>(
      [sent, verified],
      ofRequest.map((event) => ({ type: "event", event })),
    )
    const at = (value: unknown) => assert.instanceOf(value, Date)
    assert.strictEqual(verification?.type, "verification")
    if (verification?.type === "verification") {
      const { createdAt, expiresAt, sentAt, verifiedAt, ...rest } = verification
      for (const date of [createdAt, expiresAt, sentAt, verifiedAt]) at(date)
      assert.deepStrictEqual<unknown>(rest, {
        type: "verification",
        requestId,
        phoneNumber,
        channel: "sms",
        purpose: "login",
        metadata: { user: 7 },
        status: "verified",
        attemptsRemaining: 3,
        resends: 0,
        messageSequences: [1],
        prefix: null,
        checks: [],
        consumedAt: null,
      })
    }
    assert.strictEqual(limits?.type, "limits")
    if (limits?.type === "limits") {
      const { clients, requests, ...rest } = limits
      assert.lengthOf(requests, 1)
      at(requests[0])
      at(clients[0]?.verifiedAt)
      assert.notInclude(clients[0]?.digest, "visitor")
      assert.deepStrictEqual<unknown>(rest, {
        type: "limits",
        isErased: false,
        wrongCodes: [],
        wrongCodesSinceSuccess: 0,
      })
    }
    assert.strictEqual(answer?.type, "answer")
    if (answer?.type === "answer") {
      at(answer.expiresAt)
      assert.strictEqual(answer.messageSequence, 2)
      assert.strictEqual(JSON.parse(answer.answer ?? "")._tag, "MessageSent")
    }
  })
})
