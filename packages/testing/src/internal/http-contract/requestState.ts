/**
 * `GET /verify/{request_id}`, and what holds for every endpoint of a request.
 */
import { assert } from "@effect/vitest"
import {
  type Answer,
  checkAnswers,
  type Contract,
  type ContractTest,
  eventually,
  faults,
  limits,
  listAt,
  member,
  type Organization,
  proves,
  provesOverTime,
  refuses,
  type Sent,
  textAt,
  wrong,
} from "./support.ts"

const iso = (millis: number): string => new Date(millis).toISOString()

/** The state of a request of this moment with the default options. */
const pending = (contract: Contract, { id, number }: Sent, messages: ReadonlyArray<unknown>) => {
  const now = contract.subject.now()
  return {
    request_id: id,
    to: number,
    channel: "sms",
    status: "pending",
    created_at: iso(now),
    expires_at: iso(now + 300_000),
    verified_at: null,
    consumed_at: null,
    attempts_remaining: 3,
    resends_remaining: 3,
    resend_at: iso(now + 30_000),
    purpose: null,
    metadata: null,
    messages,
  }
}

/** The messages of a request, as its state has to list them. */
const messagesIn = async (organization: Organization): Promise<ReadonlyArray<unknown>> =>
  (await organization.log()).toReversed().map((entry) => ({
    id: textAt(entry, "id"),
    channel: member(entry, "channel") === "whatsapp" ? "whatsapp" : "sms",
    status: textAt(entry, "status"),
    created_at: textAt(entry, "createdAt"),
  }))

const state = async (organization: Organization, id: string) => {
  const { body, status, text } = await organization.state(id)
  assert.strictEqual(status, 200, text)
  return member(body, "data")
}

/** Every endpoint of a request. */
const endpoints: ReadonlyArray<(organization: Organization, id: string) => Promise<Answer>> = [
  (organization, id) => organization.state(id),
  (organization, id) => organization.check(id, "1"),
  (organization, id) => organization.resend(id),
  (organization, id) => organization.cancel(id),
  (organization, id) => organization.consume(id),
]

const ended = { resends_remaining: 0, resend_at: null }

export const requestState: ReadonlyArray<ContractTest> = [
  provesOverTime(
    "GET /verify/{id} 200",
    "from the send to the consumption",
    async (contract, organization) => {
      const sent = await organization.sendCode()
      const { code, id } = sent
      const before = pending(contract, sent, await messagesIn(organization))
      assert.lengthOf(before.messages, 1)
      assert.deepStrictEqual(await state(organization, id), before)
      checkAnswers(await organization.check(id, wrong(code)), id, { pending: 2 })
      contract.advanceSeconds(31)
      const now = contract.subject.now()
      assert.deepStrictEqual(await state(organization, id), {
        ...before,
        attempts_remaining: 2,
        // It may be sent again at once.
        resend_at: iso(now),
      })
      await organization.resend(id, { channel: "whatsapp" })
      const resent = {
        ...before,
        channel: "whatsapp",
        attempts_remaining: 2,
        resends_remaining: 2,
        resend_at: iso(now + 30_000),
        messages: await messagesIn(organization),
      }
      assert.lengthOf(resent.messages, 2)
      assert.deepStrictEqual(await state(organization, id), resent)
      await organization.check(id, code)
      const verified = { ...resent, ...ended, status: "verified", verified_at: iso(now) }
      assert.deepStrictEqual(await state(organization, id), verified)
      contract.advanceSeconds(3600)
      await organization.consume(id)
      const consumed_at = iso(contract.subject.now())
      assert.deepStrictEqual(await state(organization, id), { ...verified, consumed_at })
    },
  ),
  provesOverTime(
    "GET /verify/{id} 200",
    "failed and expired requests",
    async (contract, organization) => {
      const failed = await organization.failed()
      const cancelled = await organization.sendCode()
      await organization.cancel(cancelled.id)
      const expired = await organization.sendCode()
      const ends = [
        [failed, { status: "failed", attempts_remaining: 0 }],
        [cancelled, { status: "failed" }],
        [expired, { status: "expired" }],
      ] as const
      const befores = ends.map(([sent]) => pending(contract, sent, []))
      contract.advanceSeconds(300)
      for (const [index, [sent, end]] of ends.entries()) {
        const found = await state(organization, sent.id)
        const messages = listAt(found, "messages")
        assert.lengthOf(messages, 1)
        assert.deepStrictEqual(found, { ...befores[index], ...ended, ...end, messages })
      }
    },
  ),
  proves(
    "GET /verify/{id} 200",
    "it shows what was reported since",
    async (contract, organization) => {
      const { id } = await organization.sendCode(contract.special("unreported"))
      const messageId = textAt(await state(organization, id), "messages", 0, "id")
      await contract.subject.report(messageId, "undelivered")
      await eventually(async () => {
        const found = await state(organization, id)
        assert.strictEqual(member(found, "messages", 0, "status"), "undelivered")
      })
      const logged = await organization.request("GET", `/messages/${messageId}`)
      assert.strictEqual(member(logged.body, "data", "status"), "undelivered")
    },
  ),
  proves("GET /verify/{id} 200", "it changes nothing", async (contract, organization) => {
    const { code, id } = await organization.sendCode()
    const first = await organization.state(id)
    assert.strictEqual((await organization.state(id)).text, first.text)
    const head = await fetch(`${contract.baseUrl}/verify/${id}`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${organization.key}` },
    })
    assert.strictEqual(head.status, 200)
    assert.strictEqual((await organization.check(id, code)).status, 200)
  }),
  proves(
    ["1 scope, 5 scope", "4.5 rule 7, 7 check 404", "requests of others", "consume 404"],
    "another organization's request answers 404, byte-equal to one that does not exist",
    async (contract, owner) => {
      const other = await contract.organization()
      const pendingRequest = await owner.sendCode()
      const verified = await owner.verified()
      for (const call of endpoints) {
        const unknown = await call(other, "vrf_unknown")
        refuses(unknown, 404)
        const odd = [
          pendingRequest.id.toUpperCase(),
          `${pendingRequest.id.slice(0, -1)}x`,
          `${pendingRequest.id}%20`,
          "%00",
          "'",
          "x".repeat(4_000),
        ]
        for (const id of odd) assert.strictEqual((await call(owner, id)).text, unknown.text, id)
        for (const { id } of [pendingRequest, verified]) {
          assert.strictEqual((await call(other, id)).text, unknown.text)
        }
      }
      // The owner's requests are untouched.
      assert.strictEqual((await owner.check(pendingRequest.id, pendingRequest.code)).status, 200)
      assert.strictEqual((await owner.consume(verified.id)).status, 200)
    },
  ),
  proves(
    "order of a request's endpoints",
    "400 before 404, and the state before the limits",
    async (contract, organization) => {
      faults(await organization.resend("vrf_unknown", { channel: "fax" }), 400, "channel")
      faults(await organization.consume("vrf_unknown", { purpose: "" }), 400, "purpose")
      const failed = await organization.failed()
      checkAnswers(await organization.resend(failed.id), failed.id, "failed")
      const number = contract.special("notOnWhatsApp")
      const poor = await contract.organization({ balance: "0.5", whatsAppPrice: "1" })
      const { id } = await poor.sendCode(number)
      // 429 before 400 for WhatsApp and 402.
      limits(await poor.resend(id, { channel: "whatsapp" }))
      await poor.host.configure({ limits: { resendCooldownMillis: 0 } })
      refuses(await poor.resend(id, { channel: "whatsapp" }), 400)
      refuses(await poor.resend(id), 402, { required: 0.5, available: 0 })
    },
  ),
  provesOverTime(
    ["no code in an answer", "verification: masked text"],
    "of any endpoint, in any state, also after a failure of the gateway",
    async (contract, organization) => {
      const payment = { amount: "BDT 500", payee: "Rahim Store" }
      const number = contract.number()
      const members = { code_length: 10, purpose: "pay", metadata: { a: 1 }, payment }
      const sent = await organization.verify(number, members)
      const id = textAt(sent.body, "data", "request_id")
      const code = await contract.codeOf(number)
      assert.lengthOf(code, 10)
      const logged = textAt(await organization.log(), 0, "id")
      const read = async () => [
        await organization.state(id),
        await organization.list(),
        await organization.request("GET", `/messages/${logged}`),
      ]
      const given = [...(await read())]
      contract.advanceSeconds(30)
      given.push(await organization.resend(id), await organization.resend(id), ...(await read()))
      given.push(await organization.check(id, wrong(code)), ...(await read()))
      given.push(await organization.check(id, code), ...(await read()))
      given.push(await organization.consume(id), await organization.consume(id), ...(await read()))
      given.push(await organization.cancel(id), await organization.resend(id))
      for (const { headers, text } of [sent, ...given]) {
        assert.notInclude(text, code)
        assert.notInclude([...headers.values()].join("\n"), code)
      }
      for (const unsent of [contract.special("refused"), contract.special("silent")]) {
        const { text } = await organization.verify(unsent, { code_length: 10 })
        assert.notInclude(text, await contract.codeOf(unsent))
      }
    },
  ),
]
