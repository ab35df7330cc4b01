import { Audit } from "@countersign/core/services/Audit"
import { assert, describe, it } from "@effect/vitest"
import { type Role, roleNames } from "@countersign/core/domain/access/Roles"
import type { Principal } from "../../src/admin/AdminOptions.ts"
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

/**
 * The end of sessions concerns no organization, which an entry of the audit belongs to. An estimate and a preview change
 * nothing.
 */
const unaudited: ReadonlyArray<string> = ["batches.estimate", "messages.preview"]
const audited = writes.filter((name) => !name.startsWith("session.") && !unaudited.includes(name))

/** The rights of each role, and those of other rights: the table that this test proves, written again. */
const rightsOf: Readonly<Record<Role, string>> = {
  operator: "money read support finance admin",
  support: "money read support",
  billing: "money finance",
  viewer: "money read",
  tenant: "money read support admin",
}

/** A person with each role. One with organizations of its own is refused what concerns the whole service. */
const people: ReadonlyArray<Principal> = roleNames.flatMap((role) => {
  const own = { ...operator, roles: [role], organizations: ["acme"] }
  const all = { ...operator, roles: [role] }
  return role === "tenant" ? [own] : role === "operator" ? [all] : [all, own]
})

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

  engineTest.each(names)("%s is answered for the roles that include it only", function* (name) {
    const { example } = yield* world
    const { path, ...call } = example(name)
    const access = accessOf.get(name)
    assert(access !== undefined)
    for (const principal of people) {
      const send = yield* mount({ authorize: () => principal })
      const isIncluded =
        principal.roles.some((role) => rightsOf[role].split(" ").includes(access.right)) &&
        (access.isOperatorOnly !== true || principal.organizations === undefined)
      const session = yield* ask(send, "/session")
      const { operations }: { operations: ReadonlyArray<string> } = Object(session.body)
      const who = `${principal.roles.join()} of ${principal.organizations?.join() ?? "all"}`
      assert.strictEqual(operations.includes(name), isIncluded, who)
      // A call that is allowed may find that the one before it has changed the state.
      if (name === "events.stream" && isIncluded) continue
      const answer = yield* ask(send, path, call)
      assert.strictEqual(answer.status === 403, !isIncluded, `${who}: ${answer.text}`)
      if (!isIncluded) assert.deepInclude(answer.body, { code: "forbidden" })
    }
  })

  engineTest.each([
    ["a tenant of all organizations", { roles: ["tenant"] }],
    ["an operator of one organization", { roles: ["operator"], organizations: ["acme"] }],
    ["the name of an option that there is not", { roles: ["viewer"], organization: "acme" }],
  ])("is not answered for %s", function* ([, given]) {
    yield* world
    const principal = JSON.parse(JSON.stringify({ actor: { id: "olga" }, ...given }))
    const answer = yield* ask(yield* mount({ authorize: () => principal }), "/organizations")
    assert.strictEqual(answer.status, 500)
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
      assert.match(entries.text, /"actor":"olga","actorName":null,"origin":"10.0.0.1"/)
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
