/**
 * `GET /messages` and `GET /messages/{id}`: entries, pages, filters.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  type Answer,
  atOnce,
  type ContractTest,
  faults,
  inTurn,
  listAt,
  member,
  type Organization,
  proves,
  provesOverTime,
  refuses,
  textAt,
} from "./support.ts"

/** Checks the pagination of an answer, and returns the texts on the page. */
const pageOf = (answer: Answer, pagination: object): ReadonlyArray<unknown> => {
  const entries = listAt(answer.body, "data")
  answers(answer, { success: true, data: entries, pagination })
  return entries.map((entry) => member(entry, "message"))
}

const get = (organization: Organization, id: string) =>
  organization.request("GET", `/messages/${id}`)

const dayMillis = 86_400_000

const iso = (at: number): string => new Date(at).toISOString()

export const messageLog: ReadonlyArray<ContractTest> = [
  proves(
    [
      "2.2 log entry",
      "2.3, 4.2 log page",
      "log: channel",
      "money: spelling",
      "7 message 500",
      "additions: GET /messages/{id}",
    ],
    "entries say what was sent, over what, at what price, and are the same one by one",
    async (contract) => {
      const organization = await contract.organization({
        senders: [{ kind: "masking", sender: "ACME" }],
      })
      const entryOf = {
        message: "Hello",
        channel: "non-mask",
        status: "delivered",
        price: "0.50",
        errorMessage: null,
        createdAt: iso(contract.subject.now()),
      }
      const free = { price: "0.00" }
      const refused = { ...free, status: "rejected", gatewayId: null }
      const kinds = [
        [contract.number(), {}, {}],
        [contract.number(), { brand_id: "ACME" }, { channel: "mask" }],
        [contract.number(), { channel: "whatsapp" }, { ...free, channel: "whatsapp" }],
        [contract.special("refused"), {}, refused],
      ] as const
      for (const [number, members, expected] of kinds) {
        const sent = await organization.send(number, members)
        const [entry] = await organization.log()
        const id = textAt(entry, "id")
        const gatewayId = member(sent.body, "data", "gateway_id")
        const errorMessage = sent.status === 200 ? null : textAt(entry, "errorMessage")
        const own = { id, recipient: number.slice(1), gatewayId, errorMessage }
        assert.deepStrictEqual(entry, { ...entryOf, ...own, ...expected })
        const answer = await get(organization, id)
        assert.strictEqual(answer.text, JSON.stringify({ success: true, data: entry }))
      }
      const ids = (await organization.log()).map((entry) => member(entry, "id"))
      assert.strictEqual(new Set(ids).size, kinds.length)
    },
  ),
  proves(
    ["log: verifications", "verification: masked text"],
    "codes are logged like any other message, with dots in the code's place",
    async (contract, organization) => {
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
    ["log: order and total", "4.2, 8 limit", "4.2 page", "2.3, 4.2 log page"],
    "newest first, in pages, with an exact total; a page beyond the end is empty",
    async (contract, organization) => {
      const page = async (page: number, limit: number, total = 7) =>
        pageOf(await organization.list({ page: `${page}`, limit: `${limit}` }), {
          page,
          limit,
          total,
          total_pages: Math.ceil(total / limit),
        })
      assert.deepStrictEqual(await page(1, 50, 0), [])
      await inTurn(7, (index) => organization.send(contract.number(), { message: `${index + 1}` }))
      assert.deepStrictEqual(await page(1, 3), ["7", "6", "5"])
      assert.deepStrictEqual(await page(3, 3), ["1"])
      assert.deepStrictEqual(await page(4, 3), [])
      assert.deepStrictEqual(await page(1, 200), ["7", "6", "5", "4", "3", "2", "1"])
    },
  ),
  proves(
    ["4.2, 8 limit", "4.2 page"],
    "a page has 50 entries unless 1 to 200 are asked for",
    async (contract) => {
      const organization = await contract.organization({ balance: "200" })
      await atOnce(205, () => organization.send(contract.number()))
      for (const [query, size] of [
        [{}, 50],
        [{ page: "5" }, 5],
        [{ limit: "200" }, 200],
        [{ limit: "200", page: "2" }, 5],
        [{ limit: "050" }, 50],
      ] as const) {
        const answer = await organization.list(query)
        assert.lengthOf(listAt(answer.body, "data"), size)
        assert.strictEqual(member(answer.body, "pagination", "total"), 205)
      }
    },
  ),
  proves(
    ["requests: limit and page", "requests: from and to", "order of GET /messages", "4.2, 8 limit"],
    "what is out of bounds, or lies the wrong way round: 422",
    async (_, organization) => {
      const wrong = { limit: "201", page: "0", from: "yesterday", to: "2026-02-30" }
      faults(await organization.list(wrong), 422, ...Object.keys(wrong))
      const turned = { from: "2026-01-31T10:00:00.001Z", to: "2026-01-31T16:00:00+06:00" }
      faults(await organization.list(turned), 422, "from")
    },
  ),
  provesOverTime(
    ["requests: from and to", "4.2 from and to", "log: order and total"],
    "a date is the whole day in UTC, to the last millisecond, and one bound alone does not filter",
    async (contract, organization) => {
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
      const found = async (query: { readonly from?: string; readonly to?: string }) =>
        listAt((await organization.list(query)).body, "data").map((entry) =>
          member(entry, "message"),
        )
      assert.deepStrictEqual(await found({ from: day(1), to: day(1) }), [
        "second day, last",
        "second day, first",
      ])
      assert.lengthOf(await found({ from: day(0), to: day(2) }), 5)
      // One bound is a day, the other a timestamp.
      assert.lengthOf(await found({ from: iso(midnight + dayMillis - 1), to: day(1) }), 3)
      for (const query of [{ from: "2100-01-01" }, { to: "2000-01-01" }]) {
        assert.lengthOf(await found(query), 5)
      }
      const filtered = await organization.list({ from: day(1), to: day(2), limit: "2", page: "2" })
      const pagination = { page: 2, limit: 2, total: 3, total_pages: 2 }
      assert.deepStrictEqual(pageOf(filtered, pagination), ["second day, first"])
    },
  ),
  proves(
    ["additions: GET /messages/{id}", "1 scope, 5 scope"],
    "another organization's message answers 404, byte-equal to one that does not exist",
    async (contract, owner) => {
      const other = await contract.organization()
      await inTurn(2, () => owner.send(contract.number()))
      await other.send(contract.number())
      const [second = "", first = ""] = (await owner.log()).map((entry) => textAt(entry, "id"))
      const unknown = await get(other, "msg_1")
      refuses(unknown, 404, {}, "message_not_found")
      for (const id of [
        first.replace(/_1$/, "_2"),
        first.replace(/_1$/, ""),
        `${first}_1`,
        first.replace(/_1$/, `_${"9".repeat(30)}`),
        `${second}%20`,
        "%00",
        "x".repeat(4_000),
      ]) {
        assert.strictEqual((await get(owner, id)).text, unknown.text, id)
      }
      for (const id of [first, second]) {
        assert.strictEqual((await get(other, id)).text, unknown.text)
        assert.strictEqual((await get(owner, `${id}?more=/x`)).status, 200)
      }
    },
  ),
]
