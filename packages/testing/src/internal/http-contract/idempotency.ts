/**
 * The header `Idempotency-Key`: a repeat has no effect and gets the first answer.
 */
import { assert } from "@effect/vitest"
import { eager } from "./resendCode.ts"
import {
  type Answer,
  atOnce,
  checkAnswers,
  type ContractTest,
  eventually,
  faults,
  limits,
  proves,
  provesOverTime,
  refuses,
  tally,
  wrong,
} from "./support.ts"

const withKey = (key: string) => ({ headers: { "idempotency-key": key } })

const repeats = (answer: Answer, first: Answer): void => {
  assert.deepStrictEqual(
    { status: answer.status, body: answer.body },
    { status: first.status, body: first.body },
  )
}

const mismatches = (answer: Answer): void => refuses(answer, 422, {}, "idempotency_mismatch")

export const idempotency: ReadonlyArray<ContractTest> = [
  proves(
    ["Idempotency-Key 200", "Idempotency-Key failure"],
    "a message and a code are sent and charged once, also if the gateway refuses them",
    async (contract, organization) => {
      const baseUrl = await contract.subject.serveFromAnotherNode()
      for (const number of [contract.number(), contract.special("refused")]) {
        for (const call of ["send", "verify"] as const) {
          const key = withKey(`${call}-${number}`)
          const first = await organization[call](number, {}, key)
          assert.include([200, 500], first.status, first.text)
          for (const again of [key, { ...key, baseUrl }]) {
            repeats(await organization[call](number, {}, again), first)
          }
        }
        assert.strictEqual(await contract.messageCount(number), 2)
      }
      assert.lengthOf(await organization.log(), 4)
    },
  ),
  provesOverTime(
    "Idempotency-Key 200",
    "a resend and a consumption are repeated, also when the request has changed since",
    async (contract, organization) => {
      const { code, id, number } = await organization.sendCode()
      contract.advanceSeconds(30)
      const resent = await organization.resend(id, {}, withKey("a"))
      assert.strictEqual(resent.status, 200, resent.text)
      assert.strictEqual((await organization.check(id, code)).status, 200)
      const consumed = await organization.consume(id, {}, withKey("a"))
      assert.strictEqual(consumed.status, 200, consumed.text)
      contract.advanceSeconds(1)
      repeats(await organization.resend(id, {}, withKey("a")), resent)
      repeats(await organization.consume(id, {}, withKey("a")), consumed)
      assert.strictEqual((await organization.consume(id, {}, withKey("b"))).status, 409)
      assert.strictEqual(await contract.messageCount(number), 2)
    },
  ),
  proves("Idempotency-Key 409", "until the first answer is known", async (contract) => {
    const organization = await contract.organization(eager)
    const number = contract.special("silent")
    const { id } = await organization.sendCode(number)
    const calls = [
      (key: string) => organization.send(number, {}, withKey(key)),
      (key: string) => organization.resend(id, {}, withKey(key)),
    ]
    for (const call of calls) {
      let tries = 0
      await eventually(async () => {
        tries += 1
        const ask = () => call(`key-${tries}`)
        const given = await atOnce(8, ask)
        const last = await ask()
        assert.include([200, 500], last.status, last.text)
        const conflicts = given.filter(({ status }) => status === 409)
        for (const answer of conflicts) limits(answer, 409, "idempotency_in_flight")
        for (const answer of given) if (!conflicts.includes(answer)) repeats(answer, last)
        // The gateway is silent for a while, in which at least one of the others asks.
        assert.isNotEmpty(conflicts)
      })
    }
  }),
  proves(
    "Idempotency-Key 422",
    "another body, or another request in the path",
    async (contract) => {
      const organization = await contract.organization(eager)
      const number = contract.number()
      const { id } = await organization.verified()
      const pending = await organization.sendCode()
      const key = withKey("a")
      const members = { metadata: { a: 1, b: { c: 2, d: 3 } } }
      const verify = await organization.verify(number, members, key)
      const firsts = [
        verify,
        // Each endpoint has keys of its own.
        await organization.send(number, {}, key),
        await organization.resend(pending.id, {}, key),
        await organization.consume(id, {}, key),
      ]
      assert.deepStrictEqual(tally(firsts), { 200: 4 })
      mismatches(await organization.send(number, { message: "Bye" }, key))
      mismatches(await organization.verify(number, { ...members, expiry: 60 }, key))
      mismatches(await organization.verify(number, { metadata: { a: 1 } }, key))
      // The order of members and the client make no other request.
      const same = { client: "another", metadata: { b: { d: 3, c: 2 }, a: 1 } }
      repeats(await organization.verify(number, same, key), verify)
      mismatches(await organization.resend(pending.id, { channel: "whatsapp" }, key))
      mismatches(await organization.resend(id, {}, key))
      mismatches(await organization.consume(id, { purpose: "login" }, key))
      mismatches(await organization.consume("vrf_other", {}, key))
    },
  ),
  proves(
    "Idempotency-Key: format",
    "1 to 255 printable characters",
    async (contract, organization) => {
      const number = contract.number()
      for (const odd of ["", "k".repeat(256), "a\tb"]) {
        faults(await organization.send(number, {}, withKey(odd)), 422, "Idempotency-Key")
        for (const call of ["verify", "resend", "consume"] as const) {
          faults(await organization[call](number, {}, withKey(odd)), 400, "Idempotency-Key")
        }
      }
      for (const key of ["k", "k".repeat(255)]) {
        const fits = await organization.send(number, {}, withKey(key))
        assert.strictEqual(fits.status, 200, fits.text)
      }
    },
  ),
  proves(
    "Idempotency-Key: endpoints",
    "a check and a cancel ignore it",
    async (_, organization) => {
      const { code, id } = await organization.sendCode()
      for (const left of [2, 1]) {
        const answer = await organization.check(id, wrong(code), withKey("a"))
        checkAnswers(answer, id, { pending: left })
      }
      for (const key of ["a", "k".repeat(256)]) {
        assert.strictEqual((await organization.cancel(id, withKey(key))).status, 200)
      }
    },
  ),
  proves(
    "Idempotency-Key: refusals",
    "a refusal without an effect is judged again",
    async (contract) => {
      const organization = await contract.organization({ balance: "0" })
      const number = contract.number()
      const send = () => organization.send(number, {}, withKey("a"))
      assert.strictEqual((await send()).status, 402)
      await organization.host.topUp("100")
      assert.strictEqual((await send()).status, 200)
      const { code, id } = await organization.sendCode()
      const consume = () => organization.consume(id, {}, withKey("a"))
      assert.strictEqual((await consume()).status, 409)
      assert.strictEqual((await organization.check(id, code)).status, 200)
      assert.strictEqual((await consume()).status, 200)
    },
  ),
]
