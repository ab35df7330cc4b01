import { SendingFailed } from "@countersign/core/domain/errors/Errors"
import { Audit } from "@countersign/core/services/Audit"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Role } from "../../src/admin/AdminOptions.ts"
import * as Http from "../../src/tenant/TenantHttp.ts"
import { ofError } from "../../src/admin/internal/errorResponses.ts"
import { ask, mount, type Send, tenant, world } from "../support/AdminSubject.ts"
import * as Subject from "../support/Subject.ts"
import { engineTest } from "../support/engineTest.ts"
import { testsOver } from "../../../../test/support/testsOver.ts"

const of = "/organizations/acme"

/** An engine whose gateway refuses each message. */
const refusing = TestEngine.layer({
  gateway: { behave: () => ({ _tag: "Reject", message: "Refused" }) },
})

/** A member of an answer, as text. */
const memberOf = (body: unknown, name: string): string => String(Object(body)[name])

const get = (send: Send, path: string) =>
  Effect.map(ask(send, `${of}${path}`), ({ body, status, text }) => {
    assert.strictEqual(status, 200, text)
    return body
  })

const post = (send: Send, path: string, body: object, method = "POST") =>
  Effect.map(ask(send, `${of}${path}`, { body, method }), (answer) => {
    assert.include([200, 204], answer.status, answer.text)
    return answer.body
  })

describe("the admin API", () => {
  engineTest("tells who asks, and what the host has set", function* () {
    const send = yield* mount({ isProduction: false, inboxUrl: "/inbox" })
    const { body } = yield* ask(send, "/session")
    assert.deepInclude(body, {
      actor: { id: "olga", name: null, origin: "10.0.0.1" },
      roles: ["operator"],
      organizations: null,
      masksNumbers: false,
    })
    assert.deepInclude(Object(body).host, {
      currency: "BDT",
      channels: ["sms", "whatsapp"],
      locales: ["en-us", "bn-bd"],
      production: false,
      fraud: null,
      testNumbers: [],
      inboxUrl: "/inbox",
    })
    assert.deepInclude(Object(body).host.limits, {
      attempts: 3,
      sendsPerNumber: { max: 10, per: "1 minute" },
      spendPerDay: null,
    })
    const own = yield* ask(yield* mount({ authorize: () => tenant }), "/session")
    assert.deepInclude(own.body, {
      actor: { id: "tariq", name: null, origin: null },
      organizations: ["acme"],
    })
    assert.deepInclude(Object(own.body).host, { production: true, inboxUrl: null })
  })

  engineTest("ignores a role that it does not know beside one that it knows", function* () {
    const roles: Array<Role> = ["operator"]
    // As a host in JavaScript may.
    Reflect.apply(roles.push, roles, ["customer"])
    const send = yield* mount({ authorize: () => ({ actor: { id: "olga" }, roles }) })
    const { body, status, text } = yield* ask(send, "/session")
    assert.strictEqual(status, 200, text)
    assert.deepInclude(body, { roles: ["operator"] })
  })

  engineTest("creates a key that works until it is revoked, and shows it once", function* () {
    yield* world
    const send = yield* mount()
    const handler = yield* Http.make()
    const created = yield* post(send, "/api-keys", { name: "server", scopes: ["balance:read"] })
    const key = memberOf(created, "key")
    const balance = () => Subject.send(handler, "/api/v2/balance", key)
    assert.strictEqual((yield* balance()).status, 200)
    assert.notInclude(JSON.stringify(yield* get(send, "/api-keys")), key)
    yield* post(send, `/api-keys/${memberOf(created, "id")}/revoke`, {})
    assert.strictEqual((yield* balance()).status, 401)
  })

  engineTest(
    "changes limits, thresholds and prefixes, which read as amounts and durations",
    function* () {
      yield* world
      const send = yield* mount()
      const limits = {
        sendsPerNumber: { max: 2, per: "1 minute" },
        spendPerDay: "12.5",
        guessesSinceSuccess: null,
      }
      // In the order of the table.
      const limitNames = ["sendsPerNumber", "guessesSinceSuccess", "spendPerDay"].map(
        (name) => `limits.${name}`,
      )
      const quietHours = { promotional: { from: "22:00", to: "08:00" } }
      const settings = { limits, balanceLowAt: "3", blockedPrefixes: ["88017"], quietHours }
      yield* post(send, "", settings, "PATCH")
      assert.deepStrictEqual(yield* get(send, ""), {
        id: "acme",
        name: "acme",
        allowList: [],
        limits: {
          sendsPerNumber: { max: 2, per: "1 minute" },
          spendPerDay: "12.50",
          guessesSinceSuccess: null,
        },
        isSuspended: false,
        balanceLowAt: "3.00",
        quietHours,
        zone: null,
        alerts: {},
        changes: [
          "balanceLowAt",
          "quietHours",
          "blockedPrefixes",
          ...limitNames,
          "blockedPrefixes.88017",
        ].map((setting) => ({
          setting,
          changedAt: "1970-01-01T00:00:31.000Z",
          changedBy: "olga",
        })),
        hasDefaultSender: true,
        blockedPrefixes: ["88017"],
        allowedPrefixes: [],
        prefixReasons: {},
      })
    },
  )

  engineTest("refuses a number without a unit, and states what to write", function* () {
    yield* world
    const send = yield* mount()
    const written = Effect.fnUntraced(function* (field: string, limits: object) {
      const { body, status } = yield* ask(send, of, { method: "PATCH", body: { limits } })
      assert.strictEqual(status, 422)
      const [problem] = Object(body).problems[`limits.${field}`]
      assert.strictEqual(problem.code, "not_duration")
      return problem.params.write
    })
    const sends = (per: unknown) =>
      written("sendsPerNumber.per", { sendsPerNumber: { max: 1, per } })
    assert.strictEqual(yield* sends(60), "60 seconds")
    assert.strictEqual(yield* sends(60_000), "1 minute")
    assert.strictEqual(yield* sends("60s"), "60 seconds")
    const cooldown = yield* written("resendCooldown", { resendCooldown: 30_000 })
    assert.strictEqual(cooldown, "30 seconds")
  })

  engineTest("removes what is set to null, and keeps what is not sent", function* () {
    const { example } = yield* world
    const send = yield* mount()
    yield* post(send, "", { balanceLowAt: "3", limits: { spendPerDay: "5" } }, "PATCH")
    yield* post(send, "", { balanceLowAt: null, name: "Acme" }, "PATCH")
    const changed = yield* get(send, "")
    assert.deepInclude(changed, { balanceLowAt: null, limits: { spendPerDay: "5.00" } })
    yield* post(send, "", { limits: { attempts: 4, spendPerDay: null } }, "PATCH")
    yield* post(send, "", { limits: { resends: 2 } }, "PATCH")
    const limits = { attempts: 4, resends: 2, spendPerDay: null }
    assert.deepInclude(yield* get(send, ""), { limits })
    yield* post(send, "", { resetLimits: ["resends", "spendPerDay"] }, "PATCH")
    assert.deepInclude(yield* get(send, ""), { limits: { attempts: 4 } })
    const unknown = { method: "PATCH", body: { resetLimits: ["sends"] } }
    assert.nestedProperty((yield* ask(send, of, unknown)).body, "details.resetLimits\\.0")
    const { path } = example("webhooks.update")
    const update = (body: object) => ask(send, path, { method: "PATCH", body })
    yield* update({ description: "mine", types: ["verified"] })
    assert.deepInclude((yield* update({})).body, { description: "mine", types: ["verified"] })
    const cleared = yield* update({ description: null, types: null })
    assert.deepInclude(cleared.body, { description: null, types: null })
  })

  engineTest("tells what has happened to a code, from the request to its use", function* () {
    const { example } = yield* world
    const send = yield* mount()
    const { path: check, ...call } = example("verifications.check")
    const wrong = yield* ask(send, check, { body: { code: "0" } })
    assert.deepInclude(wrong.body, { code: "wrong_code" })
    assert.deepInclude((yield* ask(send, check, call)).body, { isFirst: true })
    const { path } = example("verifications.get")
    const { body } = yield* ask(send, path)
    const kinds = Object(body).timeline.map(({ kind }: { kind: string }) => kind)
    assert.includeMembers(kinds, ["requested", "accepted", "wrong_codes", "verified"])
    assert.nestedPropertyVal(body, "verification.status", "verified")
    const { path: message } = example("messages.get")
    const found = yield* ask(send, message)
    assert.nestedPropertyVal(found.body, "message.status", "delivered")
    assert.match(found.text, /"kind":"settled"/)
  })

  engineTest("exports a phone number as lines of JSON, and records whose", function* () {
    const { organization } = yield* world
    const answer = yield* ask(yield* mount(), `${of}/export?phoneNumber=8801712345678`)
    assert.strictEqual(answer.headers.get("content-type"), "application/x-ndjson")
    const types = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => memberOf(JSON.parse(line), "type"))
    assert.includeMembers(types, ["message", "verification", "event", "limits"])
    const { entries } = yield* (yield* Audit).list({ organization, limit: 1 })
    assert.strictEqual(entries[0]?.action, "number.exported")
    assert.match(entries[0]?.target ?? "", /^8801\*+\d{3}$/)
  })

  engineTest.each([
    ["statement.csv", "from,to,currency", ",top-up,1,100.00,0.00"],
    ["messages.csv", "sequence,createdAt,id,phoneNumber", '"\'+8801712345678",sms,'],
    ["verifications.csv", "createdAt,requestId,phoneNumber,channel,", `,"'+8801712345678",sms,`],
    ["movements.csv", "sequence,at,currency", ",BDT,top-up,100.00,100.00,,"],
    ["ledger.csv", "sequence,at,currency", ",BDT,top-up,100.00,100.00,0.00,100.00,0.00,,"],
  ] as const)("gives %s as a file", function* ([file, header, line]) {
    yield* world
    const send = yield* mount()
    const answer = yield* ask(send, `${of}/${file}?from=1970-01-01&to=1970-01-02`)
    assert.strictEqual(answer.headers.get("content-type"), "text/csv; charset=utf-8")
    const disposition = `attachment; filename="acme-${file}"`
    assert.strictEqual(answer.headers.get("content-disposition"), disposition)
    assert.isTrue(answer.text.startsWith(header), answer.text)
    assert.include(answer.text, line)
    const turned = yield* ask(send, `${of}/${file}?from=1970-01-02&to=1970-01-01`)
    assert.nestedPropertyVal(turned.body, "details.from[0]", "must not be after to")
  })

  engineTest("gives batches and refused calls as files", function* () {
    yield* world
    const send = yield* mount()
    const batches = yield* ask(send, `${of}/batches.csv`)
    assert.match(
      batches.text,
      /^createdAt,id,status,.*\r\n1970-.*Z,bat_\w+,paused,transactional,sms,,1,0,0,1,1,BDT,0\.50,0\.00,1970-.*Z,,"Hello"\r\n$/,
    )
    for (const text of ["", "a".repeat(4_000)])
      yield* ask(send, `${of}/messages`, { body: { phoneNumber: "+8801712345678", text } })
    const refused = yield* ask(send, `${of}/refusals.csv?from=1970-01-01&to=1970-01-02`)
    assert.match(
      refused.text,
      /^sequence,at,operation,.*\r\n2,1970-.*Z,message,invalid_request,.*,sms,BD,"'\+8801\*{5}678",,,"\w+","\{.*\}"\r\n1,/,
    )
    const none = yield* ask(send, `${of}/refusals.csv?codes=insufficient_balance`)
    assert.match(none.text, /^sequence,[^\n]*\n$/)
    const turned = yield* ask(send, `${of}/refusals.csv?from=1970-01-02&to=1970-01-01`)
    assert.nestedPropertyVal(turned.body, "details.from[0]", "must not be after to")
  })

  testsOver(refusing).effect(
    "answers 502 if the gateway refuses, or it is not known whether it sent",
    function* () {
      yield* TestEngine.open()
      const send = yield* mount()
      for (const [path, body] of [
        ["messages", { phoneNumber: "+8801712345678", text: "Hello" }],
        ["verifications", { phoneNumber: "+8801712345679" }],
      ] as const) {
        const answer = yield* ask(send, `${of}/${path}`, { body })
        assert.strictEqual(answer.status, 502, path)
        const error = "The message could not be sent"
        const vendor = { gateway: "simulated", vendorCode: null, vendorMessage: "Refused" }
        const params = { status: "failed", reason: "recipient", ...vendor }
        assert.deepStrictEqual(answer.body, { error, code: "sending_failed", params })
      }
      assert.strictEqual(
        ofError(
          new SendingFailed({
            status: "unknown",
            reason: "unknown",
            gateway: null,
            vendorCode: null,
            vendorMessage: null,
          }),
        ).status,
        502,
      )
    },
  )

  engineTest("describes itself at its own address", function* () {
    const send = yield* mount()
    const answer = yield* ask(send, "/openapi.json")
    assert.nestedPropertyVal(answer.body, "servers[0].url", "/admin/api")
    assert.nestedPropertyVal(answer.body, "openapi", "3.1.0")
    assert.strictEqual((yield* ask(send, "/openapi.json?v=2")).status, 200)
    const refused = yield* ask(yield* mount({ authorize: () => undefined }), "/openapi.json")
    assert.strictEqual(refused.status, 401)
  })
})
