/**
 * Budgets beyond the documented limits: wrong codes of a phone number, limits per client, lists of windows, and the
 * share of one request.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  atOnce,
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
      for (const code of [wrong(last.code), last.code, wrong(last.code)]) {
        assert.strictEqual(limits(await organization.check(last.id, code)), day)
      }
      assert.strictEqual(limits(await organization.verify(number)), day)
      const { body } = await organization.state(last.id)
      assert.strictEqual(member(body, "data", "attempts_remaining"), 3)
      // Another number, and the number at another organization, have budgets of their own.
      await organization.verified()
      const other = await contract.organization()
      await other.verified(number)
      contract.advanceSeconds(day - 1)
      assert.strictEqual(limits(await organization.verify(number)), 1)
      contract.advanceSeconds(1)
      await organization.verified(number)
    },
  ),
  provesOverTime(
    "wrong codes: 429",
    "a number of them since the last right code, without an end",
    async (contract) => {
      const organization = await contract.organization({
        settings: { limits: { guessesPerNumber: null, guessesSinceSuccess: 4 } },
      })
      const number = contract.number()
      const first = await organization.failed(number)
      const second = await organization.sendCode(number)
      // The right code ends the count.
      assert.strictEqual((await organization.check(second.id, second.code)).status, 200)
      await organization.failed(number)
      const third = await organization.sendCode(number)
      checkAnswers(await organization.check(third.id, wrong(third.code)), third.id, { pending: 2 })
      for (let day = 0; day < 3; day++) {
        assert.strictEqual(limits(await organization.verify(number)), 86_400)
        for (const { code, id } of [first, second, third]) {
          assert.strictEqual(limits(await organization.check(id, code)), 86_400)
        }
        contract.advanceSeconds(86_400)
      }
    },
  ),
  proves(
    "wrong codes: 429",
    "codes that are not compared do not count, and neither do right ones",
    async (contract) => {
      const organization = await contract.organization({
        settings: { limits: { ...manyChecks, guessesPerNumber: { max: 4, windowMillis: 60_000 } } },
      })
      const number = contract.number()
      const { code, id } = await organization.failed(number)
      const late = await inTurn(5, () => organization.check(id, wrong(code)))
      assert.deepStrictEqual(tally(late), { 429: 5 })
      for (const answer of late) checkAnswers(answer, id, "failed")
      const verified = await organization.verified(number)
      const again = await inTurn(5, () => organization.check(verified.id, wrong(verified.code)))
      assert.deepStrictEqual(tally(again), { 200: 5 })
      const last = await organization.sendCode(number)
      checkAnswers(await organization.check(last.id, wrong(last.code)), last.id, { pending: 2 })
      limits(await organization.check(last.id, last.code))
    },
  ),
]

const ofConcurrency: ReadonlyArray<ContractTest> = [
  proves("wrong codes: 429", "forty at once, on two nodes, spend it exactly", async (contract) => {
    const organization = await contract.organization({
      settings: {
        limits: {
          ...manyChecks,
          attempts: 100,
          guessesPerNumber: { max: 5, windowMillis: 86_400_000 },
        },
      },
    })
    const { code, id } = await organization.sendCode()
    const baseUrl = await contract.subject.serveFromAnotherNode()
    const given = await atOnce(40, (index) =>
      organization.check(id, wrong(code), index % 2 === 0 ? {} : { baseUrl }),
    )
    assert.deepStrictEqual(tally(given), { 400: 5, 429: 35 })
    for (const answer of given) if (answer.status === 429) limits(answer)
    const { body } = await organization.state(id)
    assert.strictEqual(member(body, "data", "attempts_remaining"), 95)
  }),
  proves("client: send 429", "twenty at once, on two nodes, spend it exactly", async (contract) => {
    const organization = await contract.organization({
      settings: { limits: { sendsPerClient: { max: 3, windowMillis: 60_000 } } },
    })
    const baseUrl = await contract.subject.serveFromAnotherNode()
    const given = await atOnce(20, (index) =>
      organization.verify(contract.number(), robot, index % 2 === 0 ? {} : { baseUrl }),
    )
    assert.deepStrictEqual(tally(given), { 200: 3, 429: 17 })
    assert.lengthOf(await organization.log(), 3)
  }),
]

const ofClients: ReadonlyArray<ContractTest> = [
  proves("client: 400", "1 to 128 characters", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    for (const client of ["", "x".repeat(129), 1, null, true, ["a"], {}]) {
      faults(await organization.verify(number, { client }), 400, "client")
      faults(await checkAs(organization, "vrf_unknown", "1", { client }), 400, "client")
      faults(await organization.resend("vrf_unknown", { client }), 400, "client")
    }
    for (const client of ["x", "x".repeat(128), "২০৩ ‑ 😀", "\u0000", "\ud83d"]) {
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
      const baseUrl = await contract.subject.serveFromAnotherNode()
      assert.strictEqual((await send(robot)).status, 200)
      contract.advanceSeconds(10)
      assert.strictEqual(
        (await organization.verify(contract.number(), robot, { baseUrl })).status,
        200,
      )
      assert.strictEqual(limits(await send(robot)), 50)
      assert.strictEqual(
        limits(await organization.verify(contract.number(), robot, { baseUrl })),
        50,
      )
      // Another client, a request without one, and another organization are not limited by it.
      assert.strictEqual((await send(phone)).status, 200)
      assert.deepStrictEqual(tally(await inTurn(5, () => send())), { 200: 5 })
      const other = await contract.organization()
      assert.strictEqual((await other.verify(contract.number(), robot)).status, 200)
      contract.advanceSeconds(50)
      assert.strictEqual((await send(robot)).status, 200)
      assert.strictEqual(limits(await send(robot)), 10)
    },
  ),
  provesOverTime(
    "client: send 429",
    "a code that is sent again counts for its client, and a known client has its own wrong codes",
    async (contract) => {
      const organization = await contract.organization({
        settings: {
          limits: {
            resendCooldownMillis: 0,
            guessesPerNumber: { max: 3, windowMillis: 86_400_000 },
            sendsPerClient: { max: 3, windowMillis: 60_000 },
          },
        },
      })
      const number = contract.number()
      await verifyAs(organization, number, phone)
      const { id } = await organization.sendCode(number, phone)
      await organization.failed(number, robot)
      for (const members of [{}, robot]) limits(await organization.resend(id, members))
      assert.strictEqual((await organization.resend(id, phone)).status, 200)
      assert.strictEqual(limits(await organization.resend(id, phone)), 60)
      contract.advanceSeconds(60)
      assert.strictEqual((await organization.resend(id, phone)).status, 200)
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
    ["client: send 429", "client: check 429", "order: refused guards"],
    "a refusal counts neither for the number nor for the organization",
    async (contract) => {
      const once = { max: 1, windowMillis: 60_000 }
      const twice = { max: 2, windowMillis: 60_000 }
      const organization = await contract.organization({
        settings: {
          limits: {
            sendsPerNumber: twice,
            sendsPerClient: once,
            checksPerOrganization: twice,
            checksPerClient: once,
          },
        },
      })
      const { code, id, number } = await organization.sendCode(undefined, robot)
      for (let tried = 0; tried < 3; tried++) limits(await organization.verify(number, robot))
      assert.strictEqual((await organization.verify(number)).status, 200)
      limits(await organization.verify(number, phone))
      checkAnswers(await checkAs(organization, id, wrong(code), robot), id, { pending: 2 })
      for (let tried = 0; tried < 3; tried++) {
        limits(await checkAs(organization, id, code, robot))
      }
      // Refusals of the other limits do not count for the client either.
      assert.strictEqual((await checkAs(organization, id, code, phone)).status, 200)
      limits(await checkAs(organization, id, code, phone))
      assert.strictEqual((await organization.verify(contract.number(), phone)).status, 200)
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
      // The budget of the known client is of the same size.
      for (const left of [2, 1]) {
        const answer = await checkAs(organization, id, wrong(code), phone)
        checkAnswers(answer, id, { pending: left })
      }
      checkAnswers(await checkAs(organization, id, wrong(code), phone), id, "failed")
      limits(await organization.verify(number, phone))
      // It is known to this number only.
      const other = contract.number()
      await organization.failed(other, robot)
      limits(await organization.verify(other, phone))
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
      // Requests of known clients are not ended.
      assert.deepStrictEqual(tally(await inTurn(4, () => organization.verify(number, phone))), {
        200: 3,
        429: 1,
      })
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
      contract.advanceSeconds(90)
      assert.deepStrictEqual(tally(await inTurn(2, send)), { 500: 2 })
      assert.strictEqual(limits(await send()), 10)
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
      contract.advanceSeconds(40)
      answers(await organization.check(id, code), {
        success: true,
        data: {
          request_id: id,
          to: member((await organization.state(id)).body, "data", "to"),
          status: "verified",
          verified_at: new Date(contract.subject.now()).toISOString(),
        },
      })
    },
  ),
]

export const budgets: ReadonlyArray<ContractTest> = [
  ...ofGuesses,
  ...ofConcurrency,
  ...ofClients,
  ...ofWindows,
]
