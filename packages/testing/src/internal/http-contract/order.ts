/**
 * The order of the guards: when two of them reject a request, the first one answers.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  type Answer,
  type Contract,
  type ContractTest,
  faults,
  inTurn,
  limits,
  member,
  proves,
  refuses,
  tally,
  wrong,
} from "./support.ts"

const oneMessage = { messagesPerOrganization: { max: 1, windowMillis: 60_000 } }

const nowhere = { allowList: ["203.0.113.7"] }

const text = { "content-type": "text/plain" }

const tooLarge = JSON.stringify({ padding: "x".repeat(65_536) })

const unauthorized = (answer: Answer): void => {
  refuses(answer, 401)
  assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
}

/** Returns an organization that has reached its limit of one message per minute. */
const atLimit = async (contract: Contract, whatsAppPrice?: string) => {
  const organization = await contract.organization({
    settings: { limits: oneMessage },
    ...(whatsAppPrice === undefined ? {} : { whatsAppPrice }),
  })
  assert.strictEqual((await organization.send(contract.number())).status, 200)
  return organization
}

const ofMessages: ReadonlyArray<ContractTest> = [
  proves("order of POST /messages", "401 before 403", async (contract) => {
    const organization = await contract.organization({ settings: nowhere })
    unauthorized(await organization.send(contract.number(), {}, { key: null }))
    const revoked = await organization.host.createKey()
    refuses(await organization.send(contract.number(), {}, { key: revoked }), 403)
    await organization.host.revokeKey(revoked)
    unauthorized(await organization.send(contract.number(), {}, { key: revoked }))
  }),
  proves("order of POST /messages", "403 before 422, 413 and 415", async (contract) => {
    const organization = await contract.organization({ settings: nowhere })
    refuses(await organization.post("/messages", {}), 403)
    refuses(await organization.request("POST", "/messages", "{"), 403)
    refuses(await organization.request("POST", "/messages", tooLarge), 403)
    refuses(await organization.request("POST", "/messages", "{}", { headers: text }), 403)
  }),
  proves("order of POST /messages", "422 before 400 for the sender", async (contract) => {
    const organization = await contract.organization()
    const members = { brand_id: "unknown", message: "" }
    faults(await organization.send(contract.number(), members), 422, "message")
  }),
  proves("order of POST /messages", "400 for the sender before 429", async (contract) => {
    const organization = await atLimit(contract)
    refuses(
      await organization.send(contract.number(), { brand_id: "unknown" }),
      400,
      {},
      "sender_unusable",
    )
    limits(await organization.send(contract.number()))
  }),
  proves("order of POST /messages", "429 before 400 for WhatsApp", async (contract) => {
    const organization = await atLimit(contract)
    const number = contract.special("notOnWhatsApp")
    limits(await organization.send(number, { channel: "whatsapp" }))
  }),
  proves("order of POST /messages", "429 before 402", async (contract) => {
    const organization = await contract.organization({
      balance: "0.5",
      settings: { limits: oneMessage },
    })
    assert.strictEqual((await organization.send(contract.number())).status, 200)
    limits(await organization.send(contract.number()))
  }),
  proves("order of POST /messages", "400 for WhatsApp before 402", async (contract) => {
    const organization = await contract.organization({ balance: "0", whatsAppPrice: "0.5" })
    const channel = "whatsapp"
    refuses(await organization.send(contract.special("notOnWhatsApp"), { channel }), 400)
    const there = await organization.send(contract.number(), { channel })
    refuses(there, 402, { required: 0.5, available: 0 })
  }),
  proves("order of POST /messages", "402 before the gateway is asked", async (contract) => {
    const organization = await contract.organization({ balance: "0" })
    const number = contract.special("refused")
    refuses(await organization.send(number), 402, { required: 0.5, available: 0 })
    assert.strictEqual(await contract.messageCount(number), 0)
    assert.deepStrictEqual(await organization.log(), [])
  }),
]

const ofVerify: ReadonlyArray<ContractTest> = [
  proves("order of POST /verify", "401 before 400, 413 and 415", async (contract) => {
    const organization = await contract.organization()
    const revoked = await organization.host.createKey()
    await organization.host.revokeKey(revoked)
    for (const path of ["/messages", "/verify", "/verify/check"]) {
      for (const key of [null, revoked]) {
        unauthorized(await organization.post(path, {}, { key }))
        unauthorized(await organization.request("POST", path, "{", { key }))
        unauthorized(await organization.request("POST", path, tooLarge, { key }))
        unauthorized(await organization.request("POST", path, "{}", { key, headers: text }))
      }
    }
  }),
  proves("order of POST /verify", "400, for the sender too, before both 429", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    const invalid = async () => {
      faults(await organization.verify(number, { locale: "xx" }), 400, "locale")
      faults(await organization.verify(number, { brand_id: "unknown" }), 400, "brand_id")
    }
    for (let sent = 0; sent < 5; sent++) await organization.sendCode(number)
    await invalid()
    for (let sent = 0; sent < 5; sent++) refuses(await organization.verify(number), 429)
    limits(await organization.verify(number))
    await invalid()
  }),
  proves(
    ["order of POST /verify", "7 verify 429 rate", "7 verify 429 pending"],
    "429 with retry_after before 429 without it",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      const given = await inTurn(12, () => organization.verify(number))
      for (const answer of given.slice(5, 10)) refuses(answer, 429)
      for (const answer of given.slice(10)) limits(answer)
      assert.deepStrictEqual(tally(given.slice(0, 5)), { 200: 5 })
    },
  ),
  proves("order of POST /verify", "both 429 before 400 for WhatsApp", async (contract) => {
    const organization = await contract.organization()
    const number = contract.special("notOnWhatsApp")
    for (let sent = 0; sent < 5; sent++) await organization.sendCode(number)
    const overWhatsApp = () => organization.verify(number, { channel: "whatsapp" })
    for (let sent = 0; sent < 5; sent++) refuses(await overWhatsApp(), 429)
    limits(await overWhatsApp())
  }),
  proves("order of POST /verify", "both 429 before 402", async (contract) => {
    const organization = await contract.organization({ balance: "2.5" })
    const number = contract.number()
    for (let sent = 0; sent < 5; sent++) await organization.sendCode(number)
    for (let sent = 0; sent < 5; sent++) refuses(await organization.verify(number), 429)
    limits(await organization.verify(number))
    refuses(await organization.verify(contract.number()), 402, { required: 0.5, available: 0 })
  }),
  proves("order of POST /verify", "400 for WhatsApp before 402", async (contract) => {
    const organization = await contract.organization({ balance: "0", whatsAppPrice: "0.5" })
    const channel = "whatsapp"
    const missing = await organization.verify(contract.special("notOnWhatsApp"), { channel })
    refuses(missing, 400)
    const there = await organization.verify(contract.number(), { channel })
    refuses(there, 402, { required: 0.5, available: 0 })
  }),
  proves("order of POST /verify", "402 before the gateway is asked", async (contract) => {
    const organization = await contract.organization({ balance: "0.49" })
    const number = contract.special("refused")
    refuses(await organization.verify(number), 402, { required: 0.5, available: 0.49 })
    assert.strictEqual(await contract.messageCount(number), 0)
    assert.deepStrictEqual(await organization.log(), [])
  }),
]

const ofCheck: ReadonlyArray<ContractTest> = [
  proves("order of POST /verify/check", "400 before 429", async (contract) => {
    const organization = await contract.organization()
    await organization.useUpChecks()
    faults(await organization.check("vrf_unknown", ""), 400, "code")
    faults(await organization.request("POST", "/verify/check", "[]"), 400)
    limits(await organization.check("vrf_unknown", "1"))
  }),
  proves(
    "order of POST /verify/check",
    "429 before 404 and before every state",
    async (contract) => {
      const organization = await contract.organization()
      const pending = await organization.sendCode()
      const verified = await organization.sendCode()
      await organization.check(verified.id, verified.code)
      const failed = await organization.sendCode()
      for (let tried = 0; tried < 3; tried++)
        await organization.check(failed.id, wrong(failed.code))
      const given = await inTurn(16, () => organization.check("vrf_unknown", "1"))
      assert.deepStrictEqual(tally(given), { 404: 16 })
      for (const { code, id } of [pending, verified, failed, { id: "vrf_unknown", code: "1" }]) {
        limits(await organization.check(id, code))
      }
    },
  ),
]

const ofLog: ReadonlyArray<ContractTest> = [
  proves("order of GET /messages", "401 before 422", async (contract) => {
    const organization = await contract.organization()
    unauthorized(await organization.list({ limit: "0" }, { key: null }))
    faults(await organization.list({ limit: "0" }), 422, "limit")
  }),
  proves("order: refused guards", "what was refused has left no trace", async (contract) => {
    const organization = await contract.organization({ settings: nowhere, balance: "1" })
    refuses(await organization.send(contract.number()), 403)
    refuses(await organization.post("/verify", {}), 403)
    await organization.configure({ allowList: [] })
    faults(await organization.post("/verify", {}), 400, "phone_number")
    refuses(await organization.check("vrf_unknown", "1"), 404)
    const pagination = { page: 1, limit: 50, total: 0, total_pages: 0 }
    answers(await organization.list(), { success: true, data: [], pagination })
    const read = await organization.request("GET", "/balance")
    assert.strictEqual(member(read.body, "data", "balance"), 1)
  }),
]

export const order: ReadonlyArray<ContractTest> = [...ofMessages, ...ofVerify, ...ofCheck, ...ofLog]
