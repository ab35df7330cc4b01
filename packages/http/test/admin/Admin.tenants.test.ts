import { assert, describe } from "@effect/vitest"
import { ask, type Call, mount, tenant, world } from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"

const of = "/organizations/acme"

describe("the admin API", () => {
  engineTest("shows a tenant its own organization only", function* () {
    yield* world
    const all = yield* ask(yield* mount(), "/organizations?limit=1")
    assert.nestedPropertyVal(all.body, "organizations.length", 1)
    assert.nestedPropertyVal(all.body, "next", "acme")
    const more = yield* ask(yield* mount(), "/organizations?after=acme")
    assert.nestedPropertyVal(more.body, "organizations[0].id", "other")
    const own = yield* ask(yield* mount({ authorize: () => tenant }), "/organizations")
    assert.nestedPropertyVal(own.body, "organizations.length", 1)
    assert.nestedPropertyVal(own.body, "organizations[0].id", "acme")
    assert.nestedPropertyVal(own.body, "organizations[0].activeApiKeys", 1)
    assert.nestedPropertyVal(own.body, "next", null)
  })

  engineTest("gives the list of organizations as CSV, to a tenant its own", function* () {
    yield* world
    const idsOf = (text: string) => text.split("\r\n").map((line) => line.split(",")[0])
    const all = yield* ask(yield* mount(), "/organizations.csv")
    assert.deepStrictEqual(idsOf(all.text), ["id", "acme", "other", ""])
    assert.include(all.text, '\r\nacme,"acme",false,BDT,99.50,0.00,true,1\r\n')
    const disposition = 'attachment; filename="organizations.csv"'
    assert.strictEqual(all.headers.get("content-disposition"), disposition)
    const some = yield* ask(yield* mount(), "/organizations.csv?search=OTH")
    assert.deepStrictEqual(idsOf(some.text), ["id", "other", ""])
    const own = yield* ask(yield* mount({ authorize: () => tenant }), "/organizations.csv")
    assert.deepStrictEqual(idsOf(own.text), ["id", "acme", ""])
  })

  engineTest("creates an organization with its default senders", function* () {
    const send = yield* mount()
    const create = (id: string, senders?: object) =>
      ask(send, "/organizations", { method: "POST", body: { id, senders } })
    assert.deepInclude((yield* create("bare")).body, { hasDefaultSender: false })
    const made = yield* create("whole", { sms: "8809600000000" })
    assert.deepInclude(made.body, { hasDefaultSender: true })
    const { body } = yield* ask(send, "/organizations")
    assert.nestedPropertyVal(body, "organizations[0].hasDefaultSender", false)
    assert.nestedPropertyVal(body, "organizations[1].hasDefaultSender", true)
    const refused = yield* create("other", { sms: "" })
    assert.strictEqual(refused.status, 422)
  })

  engineTest("lets only operators approve a sender", function* () {
    yield* world
    const body = { kind: "masking", sender: "Acme", status: "approved" }
    const send = yield* mount({ authorize: () => tenant })
    const saved = yield* ask(send, `${of}/brands`, { body })
    assert.nestedPropertyVal(saved.body, "status", "pending")
    const approved = yield* ask(yield* mount(), `${of}/brands`, { body })
    assert.nestedPropertyVal(approved.body, "status", "approved")
  })

  engineTest.each([
    ["limits", { limits: { attempts: 4 } }],
    ["limits", { limits: { spendPerDay: null }, name: "Free" }],
    ["resetLimits", { resetLimits: ["attempts"] }],
    ["allowedPrefixes", { allowedPrefixes: ["880"] }],
    ["limits and allowedPrefixes", { limits: {}, allowedPrefixes: [] }],
  ] as const)("lets only operators change %s", function* ([names, body]) {
    yield* world
    const send = yield* mount({ authorize: () => tenant })
    const before = yield* ask(send, of)
    assert.deepStrictEqual((yield* ask(send, of, { method: "PATCH", body })).body, {
      error: `Only operators may change ${names}`,
      code: "forbidden",
    })
    assert.deepStrictEqual((yield* ask(send, of)).body, before.body)
    const own = { name: "Acme 2", allowList: [], balanceLowAt: "5", blockedPrefixes: ["8809"] }
    const changed = yield* ask(send, of, { method: "PATCH", body: own })
    assert.deepInclude(changed.body, { ...own, balanceLowAt: "5.00" })
    assert.strictEqual((yield* ask(yield* mount(), of, { method: "PATCH", body })).status, 200)
  })

  engineTest(
    "does not send with the sender of a tenant before an operator approves it",
    function* () {
      yield* world
      const asTenant = yield* mount({ authorize: () => tenant })
      const asOperator = yield* mount()
      const message = { phoneNumber: "+8801712345678", text: "Hello" }
      const path = `${of}/brands/mine`
      const body = {
        kind: "non-masking",
        sender: "8809600000009",
        isDefault: true,
        status: "approved",
      }
      const put: Call = { method: "PUT", body }
      // Also for a sender that was approved before, and is no longer what was approved.
      for (const change of [put, { ...put, body: { ...body, sender: "8809600000008" } }]) {
        const saved = yield* ask(asTenant, path, change)
        assert.deepInclude(saved.body, { status: "pending", isDefault: true })
        for (const sender of [undefined, "mine", "8809600000009", "8809600000008"]) {
          const answer = yield* ask(asTenant, `${of}/messages`, { body: { ...message, sender } })
          assert.isAtLeast(answer.status, 400, answer.text)
        }
        const refused = yield* ask(asTenant, `${of}/messages`, { body: message })
        assert.include(refused.text, `"problems":{"sender":[{"code":"brand_not_approved"`)
        yield* ask(asOperator, path, change)
        const sent = yield* ask(asTenant, `${of}/messages`, { body: message })
        assert.strictEqual(sent.status, 200, sent.text)
      }
    },
  )
})
