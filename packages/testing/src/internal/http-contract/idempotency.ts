/**
 * The header `Idempotency-Key`: a repeat has no effect and gets the first answer.
 */
import { assert } from "@effect/vitest"
import {
  type Answer,
  atOnce,
  type ContractTest,
  faults,
  inTurn,
  member,
  proves,
  provesOverTime,
  refuses,
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
  proves("Idempotency-Key 200", "a message is sent and charged once", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    const first = await organization.send(number, {}, withKey("a"))
    assert.strictEqual(first.status, 200, first.text)
    await organization.send(number, {}, withKey("b"))
    const baseUrl = await contract.subject.serveFromAnotherNode()
    for (const again of [{}, { baseUrl }]) {
      repeats(await organization.send(number, {}, { ...withKey("a"), ...again }), first)
    }
    assert.strictEqual(await contract.messageCount(number), 2)
    assert.strictEqual((await organization.log()).length, 2)
  }),
  proves("Idempotency-Key 200", "a code is sent once, also at once", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    const ask = () => organization.verify(number, { metadata: { cart: 7 } }, withKey("a"))
    const first = await ask()
    assert.strictEqual(first.status, 200, first.text)
    for (const answer of await atOnce(6, ask)) repeats(answer, first)
    assert.strictEqual(await contract.messageCount(number), 1)
  }),
  provesOverTime(
    "Idempotency-Key 200",
    "a resend and a consumption are repeated, also when the request has changed since",
    async (contract) => {
      const organization = await contract.organization()
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
  proves("Idempotency-Key failure", "a failure of the gateway is repeated", async (contract) => {
    const organization = await contract.organization()
    const number = contract.special("refused")
    for (const send of [
      () => organization.send(number, {}, withKey("a")),
      () => organization.verify(number, {}, withKey("a")),
    ]) {
      const [first, ...others] = await inTurn(3, send)
      assert(first !== undefined)
      assert.strictEqual(first.status, 500, first.text)
      for (const other of others) repeats(other, first)
    }
    assert.strictEqual((await organization.log()).length, 2)
  }),
  proves("Idempotency-Key 409", "until the first answer is known", async (contract) => {
    const organization = await contract.organization()
    const number = contract.special("silent")
    const send = () => organization.send(number, {}, withKey("a"))
    const given = await atOnce(12, send)
    const last = await send()
    assert.strictEqual(last.status, 500, last.text)
    for (const answer of given) {
      if (answer.status === 409) {
        const seconds = member(answer.body, "retry_after")
        refuses(answer, 409, { retry_after: seconds }, "idempotency_in_flight")
        assert.strictEqual(answer.headers.get("retry-after"), String(seconds), answer.text)
      } else repeats(answer, last)
    }
    assert.strictEqual((await organization.log()).length, 1)
  }),
  proves(
    "Idempotency-Key 422",
    "another body, or another request in the path",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      const { code, id } = await organization.sendCode(number)
      await organization.check(id, code)
      const key = withKey("a")
      await organization.send(number, {}, key)
      mismatches(await organization.send(number, { message: "Bye" }, key))
      await organization.verify(number, {}, key)
      mismatches(await organization.verify(number, { expiry: 60 }, key))
      await organization.consume(id, {}, key)
      mismatches(await organization.consume(id, { purpose: "login" }, key))
      mismatches(await organization.consume("vrf_other", {}, key))
    },
  ),
  proves("Idempotency-Key 422", "another organization has its own keys", async (contract) => {
    const number = contract.number()
    for (const message of ["Hello", "Bye"]) {
      const organization = await contract.organization()
      const answer = await organization.send(number, { message }, withKey("a"))
      assert.strictEqual(answer.status, 200, answer.text)
    }
  }),
  proves("Idempotency-Key: format", "1 to 255 characters", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    const long = withKey("k".repeat(256))
    faults(await organization.send(number, {}, long), 422, "Idempotency-Key")
    faults(await organization.verify(number, {}, long), 400, "Idempotency-Key")
    faults(await organization.resend("vrf_1", {}, long), 400, "Idempotency-Key")
    faults(await organization.consume("vrf_1", {}, long), 400, "Idempotency-Key")
    const fits = await organization.send(number, {}, withKey("k".repeat(255)))
    assert.strictEqual(fits.status, 200, fits.text)
  }),
  proves(
    "Idempotency-Key: refusals",
    "a refusal without an effect is judged again",
    async (contract) => {
      const organization = await contract.organization({ balance: "0" })
      const number = contract.number()
      assert.strictEqual((await organization.send(number, {}, withKey("a"))).status, 402)
      await organization.host.topUp("1")
      assert.strictEqual((await organization.send(number, {}, withKey("a"))).status, 200)
    },
  ),
]
