import { Audit } from "@countersign/core/services/Audit"
import { assert, describe, it } from "@effect/vitest"
import type { Role } from "../../src/admin/AdminOptions.ts"
import { rows } from "../../src/admin/internal/rows.ts"
import {
  accessOf,
  ask,
  type EndpointName,
  examples,
  mount,
  operator,
  tenant,
  world,
} from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"

const names = Object.keys(examples).filter((name): name is EndpointName => name in examples)

const ofOrganization = names.filter((name) => examples[name].path.includes("/acme"))

/** A trial is sent with a body, and changes nothing. */
const writes = names.filter((name) => examples[name].method !== "GET" && name !== "fraud.trial")

/** The end of sessions concerns no organization, which an entry of the audit belongs to. An estimate changes nothing. */
const audited = writes.filter((name) => name !== "session.endAll" && name !== "batches.estimate")

/** Roles that do not include another one. */
const otherRoles: Readonly<Record<Role, ReadonlyArray<Role>>> = {
  read: [],
  support: ["read", "finance"],
  finance: ["read", "support"],
  admin: ["read", "support", "finance"],
}

/** A stream does not end by itself, and its answer begins anyway. */
const finite = names.filter((name) => name !== "events.stream")

/** The endpoints that take a body. The one of a new organization is that of `world`. */
const documented = names.filter(
  (name) => rows.get(name)?.admin?.example !== undefined && name !== "organizations.create",
)

describe("an endpoint of the admin API", () => {
  it("has a request here", () => {
    assert.sameMembers([...names], [...accessOf.keys()])
  })

  engineTest.each(finite)("%s succeeds for an operator", function* (name) {
    const { example, secrets } = yield* world
    const { path, ...call } = example(name)
    const answer = yield* ask(yield* mount(), path, call)
    assert.include([200, 204], answer.status, answer.text)
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    assert.include(answer.headers.get("content-security-policy"), "frame-ancestors 'none'")
    for (const secret of secrets) assert.notInclude(answer.text, secret)
    assert.notMatch(answer.text, /secretHash|"sealed"/)
  })

  engineTest.each(documented)("%s succeeds with the body of its example", function* (name) {
    const { example, secrets } = yield* world
    const { method, path } = example(name)
    const [code = ""] = secrets
    const own = new Map<string, unknown>([
      ["verifications.check", { code }],
      // The time of the example is too far from that of the test.
      ["messages.rescheduleQueued", examples["messages.rescheduleQueued"].body],
    ])
    const body = own.get(name) ?? rows.get(name)?.admin?.example
    const answer = yield* ask(yield* mount(), path, { method, body })
    assert.include([200, 204], answer.status, answer.text)
  })

  engineTest.each(names)("%s is refused without a principal", function* (name) {
    const { example } = yield* world
    const { path, ...call } = example(name)
    const answer = yield* ask(yield* mount({ authorize: () => undefined }), path, call)
    assert.strictEqual(answer.status, 401)
    assert.deepInclude(answer.body, { code: "unauthorized" })
  })

  engineTest.each(names)("%s is refused without its role", function* (name) {
    const { example } = yield* world
    const { path, ...call } = example(name)
    const access = accessOf.get(name)
    assert(access !== undefined)
    const refused = [
      { ...operator, roles: otherRoles[access.role] },
      ...(access.isOperatorOnly === true ? [tenant] : []),
    ]
    for (const principal of refused) {
      const answer = yield* ask(yield* mount({ authorize: () => principal }), path, call)
      assert.strictEqual(answer.status, 403, answer.text)
      assert.deepInclude(answer.body, { code: "forbidden" })
    }
  })

  engineTest("is refused with roles that the admin API does not have", function* () {
    yield* world
    // A host in JavaScript that passes on the roles of its users.
    const principal = JSON.parse(JSON.stringify({ ...operator, roles: ["customer"] }))
    const send = yield* mount({ authorize: () => principal })
    for (const path of ["/session", "/organizations", "/organizations/acme/messages"]) {
      const answer = yield* ask(send, path)
      assert.strictEqual(answer.status, 403, answer.text)
    }
  })

  engineTest.each(ofOrganization)("%s hides other organizations from a tenant", function* (name) {
    const { example } = yield* world
    const { path, ...call } = example(name)
    const send = yield* mount({ authorize: () => tenant })
    const other = yield* ask(send, path.replace("/acme", "/other"), call)
    const unknown = yield* ask(send, path.replace("/acme", "/nowhere"), call)
    assert.strictEqual(other.status, 404)
    assert.deepInclude(other.body, { code: "organization_not_found" })
    assert.deepStrictEqual(other, unknown)
    const asOperator = yield* ask(yield* mount(), path.replace("/acme", "/nowhere"), call)
    assert.deepStrictEqual(asOperator, unknown)
  })

  engineTest.each(audited)(
    "%s leaves an entry in the audit that names the actor",
    function* (name) {
      const { example, organization } = yield* world
      const { path, ...call } = example(name)
      const send = yield* mount()
      if (name === "organization.resume") yield* ask(send, path.replace("resume", "suspend"), call)
      if (name === "optOuts.remove") yield* ask(send, path.replace("/remove", ""), call)
      yield* ask(send, path, call)
      const audit = yield* Audit
      const id = name === "organizations.create" ? "fresh" : organization
      const entries = yield* ask(send, `/organizations/${id}/audit`)
      assert.match(entries.text, /"actor":"olga","origin":"10.0.0.1"/)
      const page = yield* audit.list({ organization })
      if (name === "privacy.erase" || name === "verifications.resetGuesses") {
        assert.include(page.entries[0]?.reason ?? "", "the owner")
      }
    },
  )

  engineTest.each(writes)("%s is refused for a page of another site", function* (name) {
    const { example } = yield* world
    const { path, ...call } = example(name)
    const send = yield* mount()
    const headers = { "sec-fetch-site": "cross-site", cookie: "session=1" }
    const answer = yield* ask(send, path, { ...call, headers })
    assert.strictEqual(answer.status, 403)
    assert.deepInclude(answer.body, { code: "forbidden" })
  })
})
