/**
 * `POST /verify/{request_id}/resend`: the same code again.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  type ContractTest,
  faults,
  inTurn,
  limits,
  member,
  proves,
  provesOverTime,
  refuses,
  tally,
} from "./support.ts"

/** Allows many resends without a wait. */
export const eager = { settings: { limits: { resends: 20, resendCooldownMillis: 0 } } }

export const resendCode: ReadonlyArray<ContractTest> = [
  provesOverTime(
    "resend 200",
    "the same code, over either channel, which expires as before",
    async (contract, organization) => {
      const { code, id, number } = await organization.sendCode()
      for (const [index, [members, channel]] of (
        [
          [{}, "sms"],
          [{ channel: "whatsapp" }, "whatsapp"],
          [{}, "whatsapp"],
        ] as const
      ).entries()) {
        contract.advanceSeconds(30)
        answers(await organization.resend(id, members), {
          success: true,
          data: {
            request_id: id,
            to: number,
            channel,
            status: "pending",
            expires_in: 300 - 30 * (index + 1),
            resends_remaining: 2 - index,
          },
        })
        assert.strictEqual(await contract.codeOf(number), code)
        assert.strictEqual(await contract.messageCount(number), index + 2)
      }
      const channels = (await organization.log()).map((entry) => member(entry, "channel"))
      assert.deepStrictEqual(channels, ["whatsapp", "whatsapp", "non-mask", "non-mask"])
      contract.advanceSeconds(210 - 1)
      assert.strictEqual((await organization.check(id, code)).status, 200)
    },
  ),
  provesOverTime(
    ["resend 200", "verification: masked text"],
    "by another node, without a body, and with the code masked in the log",
    async (contract, organization) => {
      const { code, id, number } = await organization.sendCode(undefined, { locale: "bn-bd" })
      const first = await contract.textTo(number)
      contract.advanceSeconds(30)
      const baseUrl = await contract.subject.serveFromAnotherNode()
      const path = `/verify/${id}/resend`
      const answer = await organization.request("POST", path, undefined, { baseUrl })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(await contract.textTo(number), first)
      const log = JSON.stringify(await organization.log())
      assert.notInclude(log, code)
      assert.strictEqual((await organization.check(id, code, { baseUrl })).status, 200)
    },
  ),
  proves(
    "resend 400",
    "what is no channel, has no sender, or does not reach the recipient",
    async (contract) => {
      const organization = await contract.organization(eager)
      const { id } = await organization.sendCode(contract.special("notOnWhatsApp"))
      for (const channel of ["fax", "", 1]) {
        faults(await organization.resend(id, { channel }), 400, "channel")
      }
      faults(await organization.request("POST", `/verify/${id}/resend`, "[]"), 400)
      const channel = "whatsapp"
      refuses(await organization.resend(id, { channel }), 400)
      const profile = { id: "brd_profile", kind: "whatsapp", sender: "contract-profile" } as const
      await organization.host.saveSender({ ...profile, status: "rejected" })
      faults(await organization.resend(id, { channel }), 400, "channel")
      // The request is as it was.
      assert.strictEqual((await organization.resend(id)).status, 200)
    },
  ),
  proves("resend 402", "the balance does not cover the price", async (contract) => {
    const organization = await contract.organization({ ...eager, balance: "0.5" })
    const { code, id, number } = await organization.sendCode()
    refuses(await organization.resend(id), 402, { required: 0.5, available: 0 })
    assert.strictEqual(await contract.messageCount(number), 1)
    assert.strictEqual((await organization.resend(id, { channel: "whatsapp" })).status, 200)
    await organization.host.topUp("0.5")
    assert.strictEqual((await organization.resend(id, { channel: "sms" })).status, 200)
    assert.strictEqual((await organization.check(id, code)).status, 200)
  }),
  provesOverTime(
    ["resend 429 cooldown", "resend 429 maximum"],
    "30 seconds after the last message, and three times",
    async (contract, organization) => {
      const { code, id, number } = await organization.sendCode()
      for (let sent = 0; sent < 3; sent++) {
        assert.strictEqual(limits(await organization.resend(id)), 30)
        contract.subject.advance(29_999)
        assert.strictEqual(limits(await organization.resend(id)), 1)
        contract.subject.advance(1)
        assert.strictEqual((await organization.resend(id)).status, 200)
      }
      const exhausted = await organization.resend(id)
      refuses(exhausted, 429, {}, "resends_exhausted")
      assert.isFalse(exhausted.headers.has("retry-after"), exhausted.text)
      assert.strictEqual(await contract.messageCount(number), 4)
      assert.strictEqual((await organization.check(id, code)).status, 200)
    },
  ),
  proves(
    ["resend 429 rate", "8 send-code requests"],
    "nine resends leave no other code for this minute",
    async (contract) => {
      const organization = await contract.organization(eager)
      const { id, number } = await organization.sendCode()
      assert.deepStrictEqual(tally(await inTurn(9, () => organization.resend(id))), { 200: 9 })
      limits(await organization.resend(id))
      limits(await organization.verify(number))
      const other = await contract.organization()
      assert.strictEqual((await other.verify(number)).status, 200)
    },
  ),
  proves("resend 500", "the gateway does not take it", async (contract) => {
    const organization = await contract.organization({ ...eager, whatsAppPrice: "1" })
    const { code, id } = await organization.sendCode(contract.special("noWhatsApp"))
    const balance = await organization.balance()
    refuses(await organization.resend(id, { channel: "whatsapp" }), 500)
    assert.strictEqual(await organization.balance(), balance)
    // The first message is still good.
    assert.strictEqual((await organization.resend(id, { channel: "sms" })).status, 200)
    assert.strictEqual((await organization.check(id, code)).status, 200)
  }),
]
