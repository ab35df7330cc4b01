/**
 * Authentication and allow lists.
 */
import * as ApiKey from "@countersign/core/domain/access/ApiKey"
import { assert } from "@effect/vitest"
import {
  answers,
  type Answer,
  checkAnswers,
  type Contract,
  type ContractTest,
  type Organization,
  type Overrides,
  proves,
  refuses,
  textAt,
  wrong,
} from "./support.ts"

/** All endpoints, each with a valid request. */
const everyEndpoint = (
  contract: Contract,
  organization: Organization,
  overrides?: Overrides,
): ReadonlyArray<Promise<Answer>> => {
  const number = contract.number()
  return [
    organization.send(number, {}, overrides),
    organization.list({}, overrides),
    organization.request("GET", "/balance", undefined, overrides),
    organization.verify(number, {}, overrides),
    organization.check("vrf_unknown", "1", overrides),
  ]
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Makes a key with a valid format and checksum from the given id and secret. */
const forged = (environment: ApiKey.Environment, idAndSecret: string): string => {
  const bytes = new Uint8Array(ApiKey.randomBytes).map((_, index) =>
    Math.max(0, alphabet.indexOf(idAndSecret.charAt(index))),
  )
  return textAt(ApiKey.encode(environment, bytes), "text")
}

const statusesOf = async (given: ReadonlyArray<Promise<Answer>>): Promise<ReadonlyArray<number>> =>
  (await Promise.all(given)).map(({ status }) => status)

const fromOutside = { allowList: ["203.0.113.0/24", "2001:db8::/32"] }

const forwarded = (addresses: string, baseUrl: string): Overrides => ({
  baseUrl,
  headers: { "x-forwarded-for": addresses },
})

export const access: ReadonlyArray<ContractTest> = [
  proves(
    ["5 header", "5 401", "4 authorization", "4.3 401", "7 all 401", "access: one 401"],
    "missing, malformed, unknown and revoked keys, and those of the other environment, get one and the same 401, and nothing happens",
    async (contract) => {
      const organization = await contract.organization()
      const revoked = await organization.host.createKey()
      await organization.host.revokeKey(revoked)
      const { key } = organization
      const [, text, id = "", secret = ""] = key.split("_")
      const [own, other] =
        text === "live" ? (["live", "test"] as const) : (["test", "live"] as const)
      const bad = [
        null,
        "",
        "Bearer",
        key,
        `Basic ${key}`,
        `Bearer ${key} ${key}`,
        "Bearer nonsense",
        `Bearer ${wrong(key)}`,
        `Bearer ${forged(own, "")}`,
        `Bearer ${forged(own, id)}`,
        `Bearer ${forged(other, `${id}${secret}`)}`,
        `Bearer ${revoked}`,
      ].map((authorization) =>
        everyEndpoint(contract, organization, { headers: { authorization } }),
      )
      const given = await Promise.all(bad.flat())
      for (const answer of given) {
        refuses(answer, 401)
        assert.strictEqual(answer.text, given[0]?.text)
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
      }
      assert.deepStrictEqual(await organization.log(), [])
      assert.strictEqual(await organization.balance(), 100)
    },
  ),
  proves(
    ["5 401", "access: one 401"],
    "a key that is revoked is refused by the next request, on every node, and the others are not",
    async (contract) => {
      const organization = await contract.organization()
      const key = await organization.host.createKey()
      const elsewhere = { key, baseUrl: await contract.subject.serveFromAnotherNode() }
      for (const overrides of [{ key }, elsewhere]) {
        const before = everyEndpoint(contract, organization, overrides)
        assert.deepStrictEqual(await statusesOf(before), [200, 200, 200, 200, 404])
      }
      await organization.host.revokeKey(key)
      for (const overrides of [elsewhere, { key }]) {
        for (const answer of everyEndpoint(contract, organization, overrides)) {
          refuses(await answer, 401)
        }
      }
      const after = everyEndpoint(contract, organization)
      assert.deepStrictEqual(await statusesOf(after), [200, 200, 200, 200, 404])
    },
  ),
  proves(
    ["5 401", "access: one 401"],
    "the keys of a suspended organization get the same 401, on every node, and work again after it",
    async (contract) => {
      const organization = await contract.organization()
      const unknown = { headers: { authorization: `Bearer ${forged("test", "")}` } }
      const [expected] = await Promise.all(everyEndpoint(contract, organization, unknown))
      const elsewhere = { baseUrl: await contract.subject.serveFromAnotherNode() }
      for (const isSuspended of [false, true, true, false]) {
        await organization.setSuspended(isSuspended)
        for (const overrides of [elsewhere, {}]) {
          const given = everyEndpoint(contract, organization, overrides)
          if (!isSuspended)
            assert.deepStrictEqual(await statusesOf(given), [200, 200, 200, 200, 404])
          else {
            for (const answer of await Promise.all(given)) {
              refuses(answer, 401)
              assert.strictEqual(answer.text, expected?.text)
              assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
            }
          }
        }
      }
    },
  ),
  proves(
    ["1 scope", "5 scope"],
    "an organization sees nothing of another's balance and log, and has limits of its own",
    async (contract) => {
      const number = contract.number()
      const one = await contract.organization({ balance: "10" })
      const other = await contract.organization({ balance: "20" })
      for (let sent = 0; sent < 5; sent++) await one.sendCode(number)
      refuses(await one.verify(number), 429)
      await one.useUpChecks()
      assert.strictEqual(await one.balance(), 7.5)
      assert.strictEqual(await other.balance(), 20)
      assert.lengthOf(await one.log(), 5)
      assert.deepStrictEqual(await other.log(), [])
      const { code, id } = await other.sendCode(number)
      checkAnswers(await other.check(id, wrong(code)), id, { pending: 2 })
    },
  ),
  proves(
    ["5 403", "7 message 403", "access: allow list"],
    "an address that is not on the allow list is refused by every endpoint",
    async (contract) => {
      const shut = await contract.organization({ settings: fromOutside })
      for (const answer of everyEndpoint(contract, shut)) refuses(await answer, 403)
      const open = await contract.organization({ settings: { allowList: ["127.0.0.0/8"] } })
      const given = everyEndpoint(contract, open)
      assert.deepStrictEqual(await statusesOf(given), [200, 200, 200, 200, 404])
    },
  ),
  proves(
    "access: allow list",
    "a host may narrow it to the sending of messages",
    async (contract) => {
      const baseUrl = await contract.subject.serve({ allowListScope: "messages" })
      const shut = await contract.organization({ settings: fromOutside })
      const given = everyEndpoint(contract, shut, { baseUrl })
      assert.deepStrictEqual(await statusesOf(given), [403, 200, 200, 200, 404])
    },
  ),
  proves("access: allow list", "a change to the list holds on every node", async (contract) => {
    const organization = await contract.organization()
    const elsewhere = { baseUrl: await contract.subject.serveFromAnotherNode() }
    assert.strictEqual((await organization.send(contract.number(), {}, elsewhere)).status, 200)
    await organization.configure(fromOutside)
    refuses(await organization.send(contract.number(), {}, elsewhere), 403)
    await organization.configure({ allowList: [] })
    assert.strictEqual((await organization.send(contract.number(), {}, elsewhere)).status, 200)
  }),
  proves(
    "access: client address",
    "a forwarding header is nothing but a claim where no proxy is trusted",
    async (contract) => {
      const organization = await contract.organization({ settings: fromOutside })
      const claim = forwarded("203.0.113.7", contract.baseUrl)
      refuses(await organization.send(contract.number(), {}, claim), 403)
    },
  ),
  proves(
    "access: client address",
    "behind a trusted proxy, the address is the last one that is not a proxy's",
    async (contract) => {
      const trustedProxies = ["127.0.0.1", "10.0.0.0/8"]
      const baseUrl = await contract.subject.serve({ trustedProxies })
      const organization = await contract.organization({ settings: fromOutside })
      const number = contract.number()
      for (const [addresses, status] of [
        ["203.0.113.7", 200],
        ["198.51.100.1, 203.0.113.7, 10.1.2.3,10.0.0.5", 200],
        ["203.0.113.7, 198.51.100.1", 403],
      ] as const) {
        const answer = await organization.send(number, {}, forwarded(addresses, baseUrl))
        assert.strictEqual(answer.status, status, addresses)
      }
      refuses(await organization.send(number, {}, { baseUrl }), 403)
    },
  ),
  proves(
    "9 version",
    "the base URL ends in /api/v2, and no other version answers",
    async (contract) => {
      assert.match(contract.baseUrl, /\/api\/v2$/)
      const organization = await contract.organization()
      const baseUrl = contract.baseUrl.replace(/v2$/, "v1")
      const authorization = `Bearer ${organization.key}`
      const { status } = await fetch(`${baseUrl}/balance`, { headers: { authorization } })
      // With any body: the host owns that path.
      assert.strictEqual(status, 404)
    },
  ),
  proves(
    ["4.3 success", "2.4 balance", "2.6 envelope"],
    "the balance is a number of BDT",
    async (contract) => {
      const organization = await contract.organization({ balance: "12.3456" })
      const read = await organization.request("GET", "/balance")
      answers(read, { success: true, data: { balance: 12.3456, currency: "BDT" } })
      const poor = await contract.organization({ balance: "0" })
      assert.strictEqual(await poor.balance(), 0)
      await poor.host.topUp("0.1")
      await poor.host.topUp("0.2")
      assert.strictEqual(await poor.balance(), 0.3)
    },
  ),
]
