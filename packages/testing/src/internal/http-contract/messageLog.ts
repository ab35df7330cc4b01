/**
 * `GET /messages`: entries, pages, filters.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  type Answer,
  atOnce,
  type Contract,
  type ContractTest,
  faults,
  inTurn,
  listAt,
  member,
  type Organization,
  proves,
  provesOverTime,
  textAt,
} from "./support.ts"

const textsOf = (answer: Answer): ReadonlyArray<unknown> =>
  listAt(answer.body, "data").map((entry) => member(entry, "message"))

/** Checks the pagination of an answer, and returns the texts on the page. */
const pageOf = (answer: Answer, pagination: object): ReadonlyArray<unknown> => {
  answers(answer, { success: true, data: member(answer.body, "data"), pagination })
  return textsOf(answer)
}

const numbered = (organization: Organization, contract: Contract, count: number) =>
  inTurn(count, (index) => organization.send(contract.number(), { message: `${index + 1}` }))

const dayMillis = 86_400_000

const iso = (at: number): string => new Date(at).toISOString()

export const messageLog: ReadonlyArray<ContractTest> = [
  proves(["4.2 success", "2.3 pagination"], "a log without messages", async (contract) => {
    const organization = await contract.organization()
    const pagination = { page: 1, limit: 50, total: 0, total_pages: 0 }
    answers(await organization.list(), { success: true, data: [], pagination })
  }),
  proves(
    ["2.2 log entry", "4.2 success", "log: channel", "money: spelling"],
    "entries say what was sent, over what, at what price",
    async (contract) => {
      const organization = await contract.organization({
        senders: [{ kind: "masking", sender: "ACME" }],
      })
      const createdAt = iso(contract.subject.now())
      const kinds = [
        [{}, "non-mask", "0.50"],
        [{ brand_id: "ACME" }, "mask", "0.50"],
        [{ channel: "whatsapp" }, "whatsapp", "0.00"],
      ] as const
      for (const [members, channel, price] of kinds) {
        const number = contract.number()
        const sent = await organization.send(number, { message: "Hello", ...members })
        const [entry] = await organization.log()
        const id = textAt(entry, "id")
        assert.deepStrictEqual(entry, {
          id,
          recipient: number.slice(1),
          message: "Hello",
          channel,
          status: "delivered",
          price,
          gatewayId: textAt(sent.body, "data", "gateway_id"),
          errorMessage: null,
          createdAt,
        })
      }
      const ids = (await organization.log()).map((entry) => member(entry, "id"))
      assert.strictEqual(new Set(ids).size, kinds.length)
    },
  ),
  proves(
    ["2.2 log entry", "7 message 500"],
    "a message that was refused is in the log with the reason and without a gateway id",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.special("refused")
      await organization.send(number)
      const [entry] = await organization.log()
      assert.deepStrictEqual(entry, {
        id: textAt(entry, "id"),
        recipient: number.slice(1),
        message: "Hello",
        channel: "non-mask",
        status: "rejected",
        price: "0.00",
        gatewayId: null,
        errorMessage: textAt(entry, "errorMessage"),
        createdAt: iso(contract.subject.now()),
      })
    },
  ),
  proves(
    ["log: verifications", "verification: masked text"],
    "codes are logged like any other message, with dots in the code's place",
    async (contract) => {
      const organization = await contract.organization()
      for (const members of [
        { code_length: 4 },
        { code_length: 10, locale: "bn-bd" },
        { code_length: 8, channel: "whatsapp" },
      ]) {
        const { code, number } = await organization.sendCode(undefined, members)
        const [entry] = await organization.log()
        const isWhatsApp = members.channel === "whatsapp"
        assert.deepStrictEqual(entry, {
          id: textAt(entry, "id"),
          recipient: number.slice(1),
          message: (await contract.textTo(number)).replace(code, "••••••"),
          channel: isWhatsApp ? "whatsapp" : "non-mask",
          status: "delivered",
          price: isWhatsApp ? "0.00" : "0.50",
          gatewayId: textAt(entry, "gatewayId"),
          errorMessage: null,
          createdAt: iso(contract.subject.now()),
        })
      }
    },
  ),
  proves(
    "verification: masked text",
    "no answer of any kind has the code in it",
    async (contract) => {
      const organization = await contract.organization({ balance: "1.5" })
      const numbers = [contract.number(), contract.special("refused"), contract.special("silent")]
      const given: Array<Answer> = []
      for (const number of numbers) {
        const answer = await organization.verify(number, { code_length: 10 })
        given.push(answer, await organization.list())
        const code = await contract.codeOf(number)
        const id = member(answer.body, "data", "request_id")
        const known = typeof id === "string" ? [id] : []
        for (const tried of ["0", code, code]) {
          for (const request of known) given.push(await organization.check(request, tried))
        }
        given.push(
          await organization.verify(number, { code_length: 10 }),
          await organization.list(),
        )
        for (const { headers, text } of given) {
          assert.notInclude(text, code)
          assert.notInclude([...headers.values()].join("\n"), code)
        }
      }
    },
  ),
  proves(
    ["log: order and total", "4.2 limit", "4.2 page", "2.3 pagination"],
    "newest first, in pages, with an exact total; a page beyond the end is empty",
    async (contract) => {
      const organization = await contract.organization()
      await numbered(organization, contract, 7)
      const page = async (page: number, limit: number) =>
        pageOf(await organization.list({ page: `${page}`, limit: `${limit}` }), {
          page,
          limit,
          total: 7,
          total_pages: Math.ceil(7 / limit),
        })
      assert.deepStrictEqual(await page(1, 3), ["7", "6", "5"])
      assert.deepStrictEqual(await page(3, 3), ["1"])
      assert.deepStrictEqual(await page(4, 3), [])
      assert.deepStrictEqual(await page(1, 200), ["7", "6", "5", "4", "3", "2", "1"])
    },
  ),
  proves(
    ["4.2 limit", "8 log page size", "4.2 page"],
    "a page has 50 entries unless 1 to 200 are asked for",
    async (contract) => {
      const organization = await contract.organization({ balance: "200" })
      await atOnce(205, () => organization.send(contract.number()))
      for (const [query, size] of [
        [{}, 50],
        [{ page: "5" }, 5],
        [{ limit: "200" }, 200],
        [{ limit: "200", page: "2" }, 5],
        [{ limit: "1" }, 1],
        [{ limit: "050" }, 50],
      ] as const) {
        const answer = await organization.list(query)
        assert.lengthOf(listAt(answer.body, "data"), size)
        assert.strictEqual(member(answer.body, "pagination", "total"), 205)
      }
    },
  ),
  proves(
    ["requests: limit and page", "order of GET /messages", "8 log page size"],
    "a limit outside 1 to 200, a page below 1, and what is no decimal integer: 422",
    async (contract) => {
      const organization = await contract.organization()
      for (const limit of ["0", "201", "1.5", "", "+5", "৫"]) {
        faults(await organization.list({ limit }), 422, "limit")
      }
      for (const page of ["0", "-1", "1e2", "9".repeat(30)]) {
        faults(await organization.list({ page }), 422, "page")
      }
      faults(
        await organization.list({ limit: "0", page: "0", from: "x" }),
        422,
        "limit",
        "page",
        "from",
      )
    },
  ),
  proves(
    ["requests: from and to", "order of GET /messages"],
    "what is no ISO 8601 date, or lies the wrong way round: 422",
    async (contract) => {
      const organization = await contract.organization()
      const good = "2026-01-31"
      for (const bad of ["", "yesterday", "2026-02-30", "2026-01-31T10:00:00"]) {
        faults(await organization.list({ from: bad, to: good }), 422, "from")
        faults(await organization.list({ from: good, to: bad }), 422, "to")
      }
      faults(await organization.list({ from: "2026-02-01", to: "2026-01-31" }), 422, "from")
      const instants = { from: "2026-01-31T10:00:00.001Z", to: "2026-01-31T16:00:00+06:00" }
      faults(await organization.list(instants), 422, "from")
    },
  ),
  provesOverTime(
    ["requests: from and to", "4.2 from and to", "log: order and total"],
    "a date is the whole day in UTC, to the last millisecond",
    async (contract) => {
      const organization = await contract.organization()
      const { subject } = contract
      const midnight = (Math.floor(subject.now() / dayMillis) + 1) * dayMillis
      const moments = [
        ["first day, first", 0],
        ["first day, last", dayMillis - 1],
        ["second day, first", dayMillis],
        ["second day, last", 2 * dayMillis - 1],
        ["third day, first", 2 * dayMillis],
      ] as const
      for (const [message, offset] of moments) {
        subject.advance(midnight + offset - subject.now())
        await organization.send(contract.number(), { message })
      }
      const day = (index: number) => iso(midnight + index * dayMillis).slice(0, 10)
      const between = async (from: string, to: string) =>
        textsOf(await organization.list({ from, to }))
      assert.deepStrictEqual(await between(day(0), day(0)), ["first day, last", "first day, first"])
      assert.deepStrictEqual(await between(day(1), day(1)), [
        "second day, last",
        "second day, first",
      ])
      assert.lengthOf(await between(day(0), day(2)), 5)
      // One bound is a day, the other a timestamp.
      assert.lengthOf(await between(iso(midnight + dayMillis - 1), day(1)), 3)
      const filtered = await organization.list({ from: day(1), to: day(2), limit: "2", page: "2" })
      const pagination = { page: 2, limit: 2, total: 3, total_pages: 2 }
      assert.deepStrictEqual(pageOf(filtered, pagination), ["second day, first"])
    },
  ),
  provesOverTime(
    "requests: from and to",
    "an instant is exact, with any offset, and both ends are included",
    async (contract) => {
      const organization = await contract.organization()
      const { subject } = contract
      await organization.send(contract.number(), { message: "before" })
      subject.advance(1_000)
      const at = subject.now()
      await organization.send(contract.number(), { message: "then" })
      subject.advance(1_000)
      await organization.send(contract.number(), { message: "after" })
      const inDhaka = (millis: number) => iso(millis + 6 * 3_600_000).replace("Z", "+06:00")
      const between = async (from: string, to: string) =>
        textsOf(await organization.list({ from, to }))
      assert.deepStrictEqual(await between(iso(at), iso(at)), ["then"])
      assert.deepStrictEqual(await between(inDhaka(at), inDhaka(at)), ["then"])
      assert.deepStrictEqual(await between(iso(at - 1_000), inDhaka(at)), ["then", "before"])
      assert.deepStrictEqual(await between(iso(at + 1), iso(at + 999)), [])
    },
  ),
  proves("4.2 from and to", "one of them alone does not filter", async (contract) => {
    const organization = await contract.organization()
    await organization.send(contract.number())
    for (const query of [
      { from: "2100-01-01" },
      { to: "2000-01-01" },
      { from: "2100-01-01T00:00:00Z" },
    ]) {
      assert.lengthOf(listAt((await organization.list(query)).body, "data"), 1)
    }
  }),
]
