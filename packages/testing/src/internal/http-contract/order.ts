/**
 * The order of the guards: of all that are against a request, the first one answers. Each test begins with everything
 * against it, and takes one thing after another away.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  type ContractTest,
  faults,
  inTurn,
  limits,
  proves,
  refuses,
  tally,
} from "./support.ts"

const nowhere = { allowList: ["203.0.113.7"] }

const everywhere = { allowList: [] }

const text = { "content-type": "text/plain" }

const tooLarge = JSON.stringify({ padding: "x".repeat(65_536) })

const channel = "whatsapp"

export const order: ReadonlyArray<ContractTest> = [
  proves(
    ["order of POST /messages", "7 message 400 WhatsApp", "numbers: WhatsApp"],
    "from the key to the gateway",
    async (contract) => {
      const organization = await contract.organization({
        balance: "0.5",
        whatsAppPrice: "0.5",
        settings: { limits: { messagesPerOrganization: { max: 1, windowMillis: 60_000 } } },
      })
      assert.strictEqual((await organization.send(contract.number())).status, 200)
      await organization.host.configure(nowhere)
      const absent = contract.special("notOnWhatsApp")
      const number = contract.special("refused")
      refuses(await organization.post("/messages", {}, { key: null }), 401)
      for (const body of ["{}", "{", tooLarge]) {
        refuses(await organization.request("POST", "/messages", body), 403)
      }
      refuses(await organization.request("POST", "/messages", "{}", { headers: text }), 403)
      await organization.host.configure(everywhere)
      const unknown = { channel, brand_id: "unknown" }
      faults(await organization.send(absent, { ...unknown, message: "" }), 422, "message")
      refuses(await organization.send(absent, unknown), 400, {}, "sender_unusable")
      limits(await organization.send(absent, { channel }))
      await organization.host.configure({ limits: { messagesPerOrganization: null } })
      refuses(await organization.send(absent, { channel }), 400)
      for (const members of [{ channel }, {}]) {
        refuses(await organization.send(number, members), 402, { required: 0.5, available: 0 })
      }
      assert.strictEqual(await contract.messageCount(number), 0)
      assert.lengthOf(await organization.log(), 1)
      await organization.host.topUp("0.5")
      refuses(await organization.send(number), 500, { status: "failed" })
    },
  ),
  proves(
    [
      "order of POST /verify",
      "7 verify 402",
      "7 verify 429 rate",
      "7 verify 429 pending",
      "numbers: WhatsApp",
    ],
    "from the body to the gateway",
    async (contract) => {
      const organization = await contract.organization({ balance: "2.5", whatsAppPrice: "0.5" })
      const number = contract.special("notOnWhatsApp")
      const invalid = async () => {
        faults(await organization.verify(number, { channel, locale: "xx" }), 400, "locale")
        faults(await organization.verify(number, { channel, brand_id: "x" }), 400, "brand_id")
      }
      for (let sent = 0; sent < 5; sent++) await organization.sendCode(number)
      await invalid()
      for (const members of [{}, {}, {}, { channel }, { channel }]) {
        refuses(await organization.verify(number, members), 429)
      }
      await invalid()
      for (const members of [{}, { channel }]) limits(await organization.verify(number, members))
      const absent = contract.special("notOnWhatsApp")
      refuses(await organization.verify(absent, { channel }), 400)
      const refused = contract.special("refused")
      for (const members of [{ channel }, {}]) {
        const answer = await organization.verify(refused, members)
        refuses(answer, 402, { required: 0.5, available: 0 })
      }
      assert.strictEqual(await contract.messageCount(refused), 0)
      assert.lengthOf(await organization.log(), 5)
      await organization.host.topUp("0.5")
      refuses(await organization.verify(refused), 500)
    },
  ),
  proves(
    "order of POST /verify/check",
    "400, then 429, then 404 and every state",
    async (_, organization) => {
      const requests = [
        await organization.sendCode(),
        await organization.verified(),
        await organization.failed(),
        { id: "vrf_unknown", code: "1" },
      ]
      const given = await inTurn(16, () => organization.check("vrf_unknown", "1"))
      assert.deepStrictEqual(tally(given), { 404: 16 })
      for (const { code, id } of requests) {
        faults(await organization.check(id, ""), 400, "code")
        limits(await organization.check(id, code))
      }
      faults(await organization.request("POST", "/verify/check", "[]"), 400)
    },
  ),
  proves("order: refused guards", "what was refused has left no trace", async (contract) => {
    const organization = await contract.organization({ settings: nowhere, balance: "1" })
    refuses(await organization.send(contract.number()), 403)
    refuses(await organization.post("/verify", {}), 403)
    await organization.host.configure(everywhere)
    faults(await organization.post("/verify", {}), 400, "phone_number")
    refuses(await organization.check("vrf_unknown", "1"), 404)
    const pagination = { page: 1, limit: 50, total: 0, total_pages: 0 }
    answers(await organization.list(), { success: true, data: [], pagination })
    assert.strictEqual(await organization.balance(), 1)
  }),
]
