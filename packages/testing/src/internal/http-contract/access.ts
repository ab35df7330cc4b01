/**
 * Authentication, scopes and allow lists, on every endpoint.
 */
import * as ApiKey from "@countersign/core/domain/access/ApiKey"
import { type ApiKeyScope, scopes } from "@countersign/core/domain/access/ApiKeyScope"
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
  provesOverTime,
  refuses,
  textAt,
  wrong,
} from "./support.ts"

type Ask = (organization: Organization, number: string, overrides?: Overrides) => Promise<Answer>

const unknown = "vrf_unknown"

const reads =
  (path: string): Ask =>
  (organization, _, overrides) =>
    organization.request("GET", path, undefined, overrides)

/** Every endpoint: the scope that it needs, a valid request, and the status of the answer. */
const endpoints: ReadonlyArray<readonly [ApiKeyScope, ask: Ask, status: 200 | 404]> = [
  ["messages:send", (one, number, overrides) => one.send(number, {}, overrides), 200],
  ["messages:read", reads("/messages"), 200],
  ["messages:read", reads("/messages/msg_unknown"), 404],
  ["balance:read", reads("/balance"), 200],
  ["verify:send", (one, number, overrides) => one.verify(number, {}, overrides), 200],
  ["verify:check", (one, _, overrides) => one.check(unknown, "1", overrides), 404],
  ["verify:read", reads(`/verify/${unknown}`), 404],
  ["verify:send", (one, _, overrides) => one.resend(unknown, {}, overrides), 404],
  ["verify:send", (one, _, overrides) => one.cancel(unknown, overrides), 404],
  ["verify:check", (one, _, overrides) => one.consume(unknown, {}, overrides), 404],
]

/** The answers of all endpoints. */
const everywhere = (contract: Contract, organization: Organization, overrides?: Overrides) => {
  const number = contract.number()
  return Promise.all(endpoints.map(([, ask]) => ask(organization, number, overrides)))
}

const isServed = (given: ReadonlyArray<Answer>): void => {
  assert.deepStrictEqual(
    given.map(({ status }) => status),
    endpoints.map(([, , status]) => status),
  )
}

/** Checks that all answers are one and the same 401. */
const isUnauthorized = (given: ReadonlyArray<Answer>, text = given[0]?.text): void => {
  for (const answer of given) {
    refuses(answer, 401)
    assert.strictEqual(answer.text, text)
    assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
  }
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Makes a key with a valid format and checksum from the given id and secret. */
const forged = (environment: ApiKey.Environment, idAndSecret: string): string => {
  const bytes = new Uint8Array(ApiKey.randomBytes).map((_, index) =>
    Math.max(0, alphabet.indexOf(idAndSecret.charAt(index))),
  )
  return textAt(ApiKey.encode(environment, bytes), "text")
}

const fromOutside = { allowList: ["203.0.113.0/24", "2001:db8::/32"] }

const forwarded = (addresses: string): Overrides => ({ headers: { "x-forwarded-for": addresses } })

const ofKeys: ReadonlyArray<ContractTest> = [
  proves(
    ["4, 5 authorization", "4.3, 5, 7 all 401", "access: one 401"],
    "missing, malformed, unknown and revoked keys, and those of the other environment, get one and the same 401, and nothing happens",
    async (contract, organization) => {
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
      ].map((authorization) => everywhere(contract, organization, { headers: { authorization } }))
      isUnauthorized((await Promise.all(bad)).flat())
      assert.deepStrictEqual(await organization.log(), [])
      assert.strictEqual(await organization.balance(), 100)
    },
  ),
  proves(
    ["4.3, 5, 7 all 401", "access: one 401"],
    "a key that is revoked is refused by the next request, on every node, and the others are not",
    async (contract, organization) => {
      const key = await organization.host.createKey()
      const places = [{ key, baseUrl: await contract.subject.serveFromAnotherNode() }, { key }]
      for (const place of places) isServed(await everywhere(contract, organization, place))
      await organization.host.revokeKey(key)
      for (const place of places) isUnauthorized(await everywhere(contract, organization, place))
      isServed(await everywhere(contract, organization))
    },
  ),
  proves(
    ["4.3, 5, 7 all 401", "access: one 401"],
    "the keys of a suspended organization get the same 401, on every node, and work again after it",
    async (contract, organization) => {
      const { text } = await organization.list({}, { key: forged("test", "") })
      const places = [{ baseUrl: await contract.subject.serveFromAnotherNode() }, {}]
      for (const isSuspended of [false, true, true, false]) {
        await organization.host.setSuspended(isSuspended)
        for (const place of places) {
          const given = await everywhere(contract, organization, place)
          if (isSuspended) isUnauthorized(given, text)
          else isServed(given)
        }
      }
    },
  ),
  provesOverTime(
    ["4.3, 5, 7 all 401", "access: one 401", "access: expiry"],
    "a key gets the 401 of an unknown one from the moment of its expiry on, on every node",
    async (contract, organization) => {
      const key = await organization.host.createKey({ expiresAt: contract.subject.now() + 60_000 })
      const { text } = await organization.list({}, { key: `${key}x` })
      const places = [{ key }, { key, baseUrl: await contract.subject.serveFromAnotherNode() }]
      contract.subject.advance(59_999)
      for (const place of places) isServed(await everywhere(contract, organization, place))
      const before = await organization.log()
      contract.subject.advance(1)
      for (const place of places) {
        isUnauthorized(await everywhere(contract, organization, place), text)
      }
      assert.deepStrictEqual(await organization.log(), before)
    },
  ),
  proves(
    "access: scopes",
    "a key with one scope is served by the endpoints of this scope, and gets 403 from all others",
    async (contract, organization) => {
      for (const scope of scopes) {
        const key = await organization.host.createKey({ scopes: [scope] })
        const given = await everywhere(contract, organization, { key })
        for (const [index, [needed, , status]] of endpoints.entries()) {
          const answer = given[index] ?? assert.fail()
          if (needed === scope) assert.strictEqual(answer.status, status, answer.text)
          else refuses(answer, 403, {}, "insufficient_scope")
        }
      }
      // The keys with the scopes `messages:send` and `verify:send` have sent one message each.
      assert.lengthOf(await organization.log(), 2)
      assert.strictEqual(await organization.balance(), 99)
    },
  ),
  proves(
    [
      "access: scopes",
      "order of POST /messages",
      "order of POST /verify",
      "order of POST /verify/check",
      "order of GET /messages",
      "order of a request's endpoints",
    ],
    "401 before 403 of the scopes, before 403 of the address, before all others",
    async (contract) => {
      const organization = await contract.organization({ settings: fromOutside })
      const baseUrl = await contract.subject.serveFromAnotherNode()
      const invalid = async (key: string) => {
        const sent: Array<Promise<Answer>> = [organization.list({ limit: "0" }, { key, baseUrl })]
        for (const path of ["/messages", "/verify", "/verify/check", "/verify/vrf_1/resend"]) {
          for (const body of ["{", "{}", '{"channel":1}', "x".repeat(70_000)]) {
            sent.push(organization.request("POST", path, body, { key, baseUrl }))
          }
          const headers = { "content-type": "text/plain" }
          sent.push(organization.request("POST", path, "{}", { key, baseUrl, headers }))
        }
        return Promise.all(sent)
      }
      const key = await organization.host.createKey({ scopes: ["balance:read"] })
      for (const answer of await invalid(key)) refuses(answer, 403, {}, "insufficient_scope")
      await organization.host.revokeKey(key)
      isUnauthorized(await invalid(key))
      for (const answer of await invalid(organization.key)) refuses(answer, 403)
    },
  ),
]

const ofAddresses: ReadonlyArray<ContractTest> = [
  proves(
    ["5, 7 message 403", "access: allow list"],
    "an address that is not on the allow list is refused by every endpoint, on every node",
    async (contract, organization) => {
      const places = [{}, { baseUrl: await contract.subject.serveFromAnotherNode() }]
      for (const place of places) {
        await organization.host.configure(fromOutside)
        for (const answer of await everywhere(contract, organization, place)) refuses(answer, 403)
        await organization.host.configure({ allowList: ["127.0.0.0/8"] })
        isServed(await everywhere(contract, organization, place))
      }
    },
  ),
  proves(
    "access: allow list",
    "a host may narrow it to the sending of messages",
    async (contract) => {
      const baseUrl = await contract.subject.serve({ allowListScope: "messages" })
      const shut = await contract.organization({ settings: fromOutside })
      const [sent, ...others] = await everywhere(contract, shut, { baseUrl })
      refuses(sent ?? assert.fail(), 403)
      for (const { status, text } of others) assert.include([200, 404], status, text)
    },
  ),
  proves(
    "access: client address",
    "behind a trusted proxy, the address is the last one that is not a proxy's; elsewhere the header is but a claim",
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
        const answer = await organization.send(number, {}, { baseUrl, ...forwarded(addresses) })
        assert.strictEqual(answer.status, status, addresses)
      }
      refuses(await organization.send(number, {}, { baseUrl }), 403)
      refuses(await organization.send(number, {}, forwarded("203.0.113.7")), 403)
    },
  ),
]

export const access: ReadonlyArray<ContractTest> = [
  ...ofKeys,
  ...ofAddresses,
  proves(
    "1 scope, 5 scope",
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
    "9 version",
    "the base URL ends in /api/v2, and no other version answers",
    async (contract, organization) => {
      assert.match(contract.baseUrl, /\/api\/v2$/)
      const authorization = `Bearer ${organization.key}`
      const url = `${contract.baseUrl.replace(/v2$/, "v1")}/balance`
      const { status } = await fetch(url, { headers: { authorization } })
      // With any body: the host owns that path.
      assert.strictEqual(status, 404)
    },
  ),
  proves(
    ["2.4, 4.3 balance", "2.6 envelope"],
    "the balance is a number of BDT",
    async (contract) => {
      const organization = await contract.organization({ balance: "12.3456" })
      const read = await organization.request("GET", "/balance")
      answers(read, { success: true, data: { balance: 12.3456, currency: "BDT" } })
    },
  ),
]
