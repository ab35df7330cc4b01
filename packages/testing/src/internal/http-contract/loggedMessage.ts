/**
 * `GET /messages/{id}`: one entry of the log.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  type ContractTest,
  eventually,
  inTurn,
  type Organization,
  type Overrides,
  proves,
  refuses,
  textAt,
} from "./support.ts"

const get = (organization: Organization, id: string, overrides?: Overrides) =>
  organization.request("GET", `/messages/${id}`, undefined, overrides)

/** Ids of entries, newest first. */
const idsOf = async (organization: Organization): Promise<ReadonlyArray<string>> =>
  (await organization.log()).map((entry) => textAt(entry, "id"))

const missing = "message_not_found"

export const loggedMessage: ReadonlyArray<ContractTest> = [
  proves(
    ["additions: GET /messages/{id}", "2.2 log entry"],
    "an entry is byte-equal to that of the list, for every status of the message",
    async (contract) => {
      const organization = await contract.organization()
      await organization.send(contract.number())
      await organization.send(contract.special("refused"))
      await organization.send(contract.number(), { channel: "whatsapp" })
      await organization.sendCode()
      const log = await organization.log()
      assert.lengthOf(log, 4)
      for (const data of log) {
        const answer = await get(organization, textAt(data, "id"))
        answers(answer, { success: true, data })
        assert.strictEqual(answer.text, JSON.stringify({ success: true, data }))
      }
    },
  ),
  proves(
    ["additions: GET /messages/{id}", "log: status"],
    "an entry shows what was reported since",
    async (contract) => {
      const organization = await contract.organization()
      await organization.send(contract.special("unreported"))
      const [id = ""] = await idsOf(organization)
      await contract.subject.report(id, "undelivered")
      await eventually(async () => {
        const { body } = await get(organization, id)
        assert.strictEqual(textAt(body, "data", "status"), "undelivered")
        assert.strictEqual(textAt(body, "data", "price"), "0.00")
      })
    },
  ),
  proves(
    ["additions: GET /messages/{id}", "1 scope", "5 scope"],
    "another organization's message answers 404, byte-equal to one that does not exist",
    async (contract) => {
      const owner = await contract.organization()
      const other = await contract.organization()
      await inTurn(2, () => owner.send(contract.number()))
      await other.send(contract.number())
      const [second = "", first = ""] = await idsOf(owner)
      const unknown = await get(other, "msg_1")
      refuses(unknown, 404, {}, missing)
      const odd = [
        first.replace(/_1$/, "_2"),
        first.replace(/_1$/, ""),
        `${first}_1`,
        first.replace(/_1$/, `_${"9".repeat(30)}`),
        `${second}%20`,
        "%00",
        "x".repeat(4_000),
      ]
      for (const id of odd) {
        assert.strictEqual((await get(owner, id)).text, unknown.text, id)
        refuses(await get(owner, id), 404, {}, missing)
      }
      for (const id of [first, second]) {
        assert.strictEqual((await get(other, id)).text, unknown.text)
        assert.strictEqual((await get(owner, `${id}?more=/x`)).status, 200)
      }
    },
  ),
  proves(
    ["additions: GET /messages/{id}", "7 all 401", "access: one 401", "access: allow list"],
    "a key that is bad or revoked, and an address that is not allowed where the host guards everything",
    async (contract) => {
      const organization = await contract.organization()
      await organization.send(contract.number())
      const [id = ""] = await idsOf(organization)
      for (const key of [null, "csk_live_nobody"]) {
        refuses(await get(organization, id, { key }), 401)
        refuses(await get(organization, "unknown", { key }), 401)
      }
      const revoked = await organization.host.createKey()
      assert.strictEqual((await get(organization, id, { key: revoked })).status, 200)
      await organization.host.revokeKey(revoked)
      const baseUrl = await contract.subject.serveFromAnotherNode()
      for (const place of [{}, { baseUrl }]) {
        refuses(await get(organization, id, { key: revoked, ...place }), 401)
        refuses(await get(organization, "unknown", { key: revoked, ...place }), 401)
      }
      await organization.configure({ allowList: ["203.0.113.9"] })
      refuses(await get(organization, id), 403)
      refuses(await get(organization, "unknown"), 403)
      const open = { baseUrl: await contract.subject.serve({ allowListScope: "messages" }) }
      assert.strictEqual((await get(organization, id, open)).status, 200)
    },
  ),
]
