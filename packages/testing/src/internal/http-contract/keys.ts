/**
 * Keys that expire, keys with scopes, and the last use of a key.
 */
import { type ApiKeyScope, scopes } from "@countersign/core/domain/access/ApiKeyScope"
import { assert } from "@effect/vitest"
import {
  type Answer,
  type Contract,
  type ContractTest,
  type Organization,
  type Overrides,
  proves,
  provesOverTime,
  refuses,
  textAt,
} from "./support.ts"

type Ask = (contract: Contract, organization: Organization, overrides: Overrides) => Promise<Answer>

const unknown = "vrf_unknown"

/** Each endpoint as the OpenAPI document names it, the scope that it needs, and a valid request. */
const endpoints: ReadonlyArray<readonly [endpoint: string, ApiKeyScope, Ask]> = [
  ["post /messages", "messages:send", (c, o, overrides) => o.send(c.number(), {}, overrides)],
  ["get /messages", "messages:read", (_, o, overrides) => o.list({}, overrides)],
  [
    "get /messages/{id}",
    "messages:read",
    (_, o, overrides) => o.request("GET", "/messages/msg_unknown", undefined, overrides),
  ],
  [
    "get /balance",
    "balance:read",
    (_, o, overrides) => o.request("GET", "/balance", undefined, overrides),
  ],
  ["post /verify", "verify:send", (c, o, overrides) => o.verify(c.number(), {}, overrides)],
  ["post /verify/check", "verify:check", (_, o, overrides) => o.check(unknown, "1", overrides)],
  ["get /verify/{request_id}", "verify:read", (_, o, overrides) => o.state(unknown, overrides)],
  [
    "post /verify/{request_id}/resend",
    "verify:send",
    (_, o, overrides) => o.resend(unknown, {}, overrides),
  ],
  [
    "post /verify/{request_id}/cancel",
    "verify:send",
    (_, o, overrides) => o.cancel(unknown, overrides),
  ],
  [
    "post /verify/{request_id}/consume",
    "verify:check",
    (_, o, overrides) => o.consume(unknown, {}, overrides),
  ],
]

const outOfScope = (answer: Answer): void => refuses(answer, 403, {}, "insufficient_scope")

export const keys: ReadonlyArray<ContractTest> = [
  provesOverTime(
    ["5 401", "access: one 401", "access: expiry"],
    "a key gets the 401 of an unknown one from the moment of its expiry on, on every node",
    async (contract) => {
      const organization = await contract.organization()
      const expiresAt = contract.subject.now() + 60_000
      const key = await organization.host.createKey({ expiresAt })
      const elsewhere = { key, baseUrl: await contract.subject.serveFromAnotherNode() }
      const nonsense = { key: `${key}x` }
      contract.subject.advance(59_999)
      for (const overrides of [{ key }, elsewhere]) {
        for (const [endpoint, , ask] of endpoints) {
          const { status } = await ask(contract, organization, overrides)
          assert.notStrictEqual(status, 401, endpoint)
        }
      }
      const before = await organization.log()
      contract.subject.advance(1)
      for (const overrides of [elsewhere, { key }]) {
        for (const [, , ask] of endpoints) {
          const expected = await ask(contract, organization, nonsense)
          const answer = await ask(contract, organization, overrides)
          refuses(answer, 401)
          assert.strictEqual(answer.text, expected.text)
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        }
      }
      assert.deepStrictEqual(await organization.log(), before)
    },
  ),
  proves(
    "access: scopes",
    "a key with one scope is served by the endpoints of this scope, and gets 403 from all others",
    async (contract) => {
      const organization = await contract.organization()
      for (const scope of scopes) {
        const key = await organization.host.createKey({ scopes: [scope] })
        for (const [endpoint, needed, ask] of endpoints) {
          const answer = await ask(contract, organization, { key })
          if (needed === scope) {
            assert.include([200, 404], answer.status, `${endpoint} with ${scope}`)
          } else {
            outOfScope(answer)
          }
        }
      }
      // The keys with the scopes `messages:send` and `verify:send` have sent one message each.
      assert.lengthOf(await organization.log(), 2)
      assert.strictEqual(await organization.balance(), 99)
    },
  ),
  proves(
    ["access: scopes", "docs: OpenAPI"],
    "the OpenAPI document names the scope of each endpoint",
    async (contract) => {
      const response = await fetch(`${contract.baseUrl}/openapi.json`)
      const document: unknown = await response.json()
      for (const [endpoint, scope] of endpoints) {
        const [method = "", path = ""] = endpoint.split(" ")
        const description = textAt(document, "paths", path, method, "description")
        assert.include(description, `\`${scope}\``, endpoint)
      }
    },
  ),
  proves(
    ["access: scopes", "order of POST /messages"],
    "401 before 403 of the scopes, before 403 of the address, before all others",
    async (contract) => {
      const settings = { allowList: ["203.0.113.7"] }
      const organization = await contract.organization({ settings })
      const elsewhere = await contract.subject.serveFromAnotherNode()
      const key = await organization.host.createKey({ scopes: ["verify:read"] })
      const invalid: ReadonlyArray<(overrides: Overrides) => Promise<Answer>> = [
        (overrides) => organization.post("/messages", {}, overrides),
        (overrides) => organization.request("POST", "/messages", "{", overrides),
        (overrides) => organization.request("POST", "/messages", "x".repeat(70_000), overrides),
        (overrides) => organization.post("/verify", {}, overrides),
        (overrides) => organization.check("", "", overrides),
        (overrides) => organization.list({ limit: "0" }, overrides),
      ]
      for (const ask of invalid) outOfScope(await ask({ key, baseUrl: elsewhere }))
      await organization.host.revokeKey(key)
      for (const ask of invalid) refuses(await ask({ key, baseUrl: elsewhere }), 401)
      const able = await organization.host.createKey({ scopes: ["messages:send"] })
      refuses(await organization.post("/messages", {}, { key: able }), 403)
    },
  ),
]
