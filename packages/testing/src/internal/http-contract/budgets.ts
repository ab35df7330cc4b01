/**
 * Budgets beyond the documented limits: wrong codes of a phone number, limits per client, lists of windows, and the
 * share of one request.
 */
import { assert } from "@effect/vitest"
import {
  checkAnswers,
  type ContractTest,
  faults,
  inTurn,
  limits,
  member,
  type Organization,
  proves,
  provesOverTime,
  refuses,
  tally,
  textAt,
  wrong,
} from "./support.ts"

const phone = { client: "the owner's phone" }
const robot = { client: "a robot" }

/** Without the limit on all checks of an organization, which would answer first. */
const manyChecks = { checksPerOrganization: null }

const checkAs = (organization: Organization, requestId: string, code: string, members: object) =>
  organization.post("/verify/check", { request_id: requestId, code, ...members })

/** Verifies a number as a client, which is known to it from then on. */
const verifyAs = async (organization: Organization, number: string, members: object) => {
  const { code, id } = await organization.sendCode(number, members)
  assert.strictEqual((await checkAs(organization, id, code, members)).status, 200)
}

/** The state that a request is in, by its status. */
const stateOf = async (organization: Organization, id: string): Promise<string> =>
  textAt((await organization.state(id)).body, "data", "status")

const ofGuesses: ReadonlyArray<ContractTest> = [
  provesOverTime(
    ["wrong codes: 429", "access: Retry-After"],
    "30 in any 24 hours, over all requests of the number, for sends and checks",
    async (contract) => {
      const organization = await contract.organization({ settings: { limits: manyChecks } })
      const number = contract.number()
      for (let request = 0; request < 9; request++) await organization.failed(number)
      contract.advanceSeconds(60)
      const last = await organization.sendCode(number)
      const day = 86_400 - 60
      await organization.failed(number)
      // No attempt is used, and the right code is not compared.
      for (const code of [wrong(last.code), last.code]) {
        assert.strictEqual(limits(await organization.check(last.id, code)), day)
      }
      assert.strictEqual(limits(await organization.verify(number)), day)
      const { body } = await organization.state(last.id)
      assert.strictEqual(member(body, "data", "attempts_remaining"), 3)
    },
  ),
]

const ofClients: ReadonlyArray<ContractTest> = [
  proves("client: 400", "1 to 128 characters", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    for (const client of ["", "x".repeat(129), 1]) {
      faults(await organization.verify(number, { client }), 400, "client")
      faults(await checkAs(organization, "vrf_unknown", "1", { client }), 400, "client")
      faults(await organization.resend("vrf_unknown", { client }), 400, "client")
    }
    for (const client of ["x", "x".repeat(128)]) {
      await verifyAs(organization, contract.number(), { client })
    }
  }),
  proves("client: 400", "its name is in no answer", async (contract) => {
    const organization = await contract.organization()
    const sent = await organization.verify(contract.number(), phone)
    const id = textAt(sent.body, "data", "request_id")
    const wrongCode = await checkAs(organization, id, "x", phone)
    const read = [await organization.state(id), await organization.list()]
    for (const { text } of [sent, wrongCode, ...read]) assert.notInclude(text, phone.client)
  }),
  provesOverTime(
    ["client: send 429", "access: Retry-After"],
    "a limit on one client's requests, over all numbers",
    async (contract) => {
      const organization = await contract.organization({
        settings: { limits: { sendsPerClient: { max: 2, windowMillis: 60_000 } } },
      })
      const send = (members?: object) => organization.verify(contract.number(), members)
      assert.strictEqual((await send(robot)).status, 200)
      contract.advanceSeconds(10)
      assert.strictEqual((await send(robot)).status, 200)
      assert.strictEqual(limits(await send(robot)), 50)
      // Another client, and a request without one, are not limited by it.
      assert.strictEqual((await send(phone)).status, 200)
      assert.strictEqual((await send()).status, 200)
    },
  ),
  provesOverTime(
    ["client: check 429", "access: Retry-After"],
    "a limit on one client's checks, which costs no attempt",
    async (contract) => {
      const organization = await contract.organization({
        settings: { limits: { checksPerClient: { max: 2, windowMillis: 10_000 } } },
      })
      const { code, id } = await organization.sendCode()
      checkAnswers(await checkAs(organization, id, wrong(code), robot), id, { pending: 2 })
      refuses(await checkAs(organization, "vrf_unknown", code, robot), 404)
      for (const tried of [code, wrong(code)]) {
        assert.strictEqual(limits(await checkAs(organization, id, tried, robot)), 10)
      }
      checkAnswers(await checkAs(organization, id, wrong(code), phone), id, { pending: 1 })
      contract.advanceSeconds(10)
      assert.strictEqual((await checkAs(organization, id, code, robot)).status, 200)
    },
  ),
  proves(
    ["client: own budget", "wrong codes: 429"],
    "strangers cannot use up the wrong codes of a client that has verified the number",
    async (contract) => {
      const organization = await contract.organization({
        settings: {
          limits: { ...manyChecks, guessesPerNumber: { max: 3, windowMillis: 86_400_000 } },
        },
      })
      const number = contract.number()
      await verifyAs(organization, number, phone)
      await organization.failed(number, robot)
      const { code, id } = await organization.sendCode(number, phone)
      for (const members of [{}, robot]) {
        limits(await organization.verify(number, members))
        limits(await checkAs(organization, id, code, members))
      }
      const answer = await checkAs(organization, id, wrong(code), phone)
      checkAnswers(answer, id, { pending: 2 })
    },
  ),
  provesOverTime(
    ["client: displaces a stranger", "8 pending verifications"],
    "the sixth request of a known client ends the oldest request of strangers",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      await verifyAs(organization, number, phone)
      const own = await organization.sendCode(number, phone)
      const strangers = await inTurn(4, async () => {
        contract.advanceSeconds(1)
        return organization.sendCode(number)
      })
      contract.advanceSeconds(60)
      for (const members of [{}, robot]) {
        refuses(await organization.verify(number, members), 429)
      }
      const members = { ...phone, channel: "whatsapp" }
      const { id } = await organization.sendCode(number, members)
      const states: Array<string> = []
      for (const request of [own, ...strangers, { id }]) {
        states.push(await stateOf(organization, request.id))
      }
      const pending = "pending"
      assert.deepStrictEqual(states, [pending, "failed", pending, pending, pending, pending])
      const [oldest] = strangers
      assert(oldest !== undefined)
      checkAnswers(await organization.check(oldest.id, oldest.code), oldest.id, "failed")
    },
  ),
]

const ofWindows: ReadonlyArray<ContractTest> = [
  provesOverTime(
    "limits: several windows",
    "each window refuses, with its own wait",
    async (contract) => {
      const sendsPerNumber = [
        { max: 2, windowMillis: 10_000 },
        { max: 3, windowMillis: 100_000 },
      ]
      const organization = await contract.organization({ settings: { limits: { sendsPerNumber } } })
      const number = contract.special("refused")
      const send = () => organization.verify(number)
      assert.deepStrictEqual(tally(await inTurn(2, send)), { 500: 2 })
      assert.strictEqual(limits(await send()), 10)
      contract.advanceSeconds(10)
      refuses(await send(), 500)
      assert.strictEqual(limits(await send()), 90)
    },
  ),
  provesOverTime(
    "limits: checks of a request",
    "one request cannot use up the checks of the organization",
    async (contract) => {
      const checksPerRequest = { max: 2, windowMillis: 60_000 }
      const organization = await contract.organization({
        settings: { limits: { checksPerRequest } },
      })
      const { code, id } = await organization.sendCode()
      checkAnswers(await organization.check(id, wrong(code)), id, { pending: 2 })
      contract.advanceSeconds(20)
      checkAnswers(await organization.check(id, wrong(code)), id, { pending: 1 })
      for (const answer of await inTurn(20, () => organization.check(id, code))) {
        assert.strictEqual(limits(answer), 40)
      }
      // Those checks did not count for the organization.
      await organization.verified()
    },
  ),
]

export const budgets: ReadonlyArray<ContractTest> = [...ofGuesses, ...ofClients, ...ofWindows]
