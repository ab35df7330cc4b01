/** Logins that keep their sessions in the engine. */
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { AdminSessions } from "@countersign/core/services/AdminSessions"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { AdminOptions } from "../../src/admin/AdminOptions.ts"
import * as Admin from "../../src/admin/Admin.ts"
import { ask, mount, operator, tenant } from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"

const login = "ops"

/** A login that finds the token in a header. */
const authorize: AdminOptions["authorize"] = async ({ headers }, _, { sessions }) => {
  const token = headers.get("x-token")
  if (token === null) return undefined
  const session = await sessions.find({ login, token })
  return session === undefined ? undefined : { ...operator, session }
}

const begin = (agent: string) =>
  AdminSessions.use((sessions) => sessions.begin({ login, agent, address: "203.0.113.7" }))

describe("a login with sessions in the engine", () => {
  engineTest("is listed, and ended with all its sessions", function* () {
    const send = yield* mount({ authorize })
    const first = yield* begin("Firefox")
    yield* TestClock.adjust("1 hour")
    const second = yield* begin("Chrome")
    const call = (token: string) => ({ headers: { "x-token": token } })
    const session = yield* ask(send, "/session", call(second))
    assert.deepInclude(session.body, { hasLoginSessions: true })
    const { body } = yield* ask(send, "/sessions", call(second))
    const listed = JSON.parse(JSON.stringify(body)).sessions
    const at = { startedAt: "1970-01-01T01:00:00.000Z", lastSeenAt: "1970-01-01T01:00:00.000Z" }
    assert.deepInclude(listed[0], { ...at, agent: "Chrome", isCurrent: true })
    assert.deepInclude(listed[1], {
      network: "203.0.113.0/24",
      agent: "Firefox",
      isCurrent: false,
    })
    assert.lengthOf(listed, 2)
    const ended = yield* ask(send, "/sessions/end", { ...call(first), method: "POST", body: {} })
    assert.strictEqual(ended.status, 204)
    for (const token of [first, second])
      assert.strictEqual((yield* ask(send, "/session", call(token))).status, 401)
  })

  engineTest("answers 503 while the database is away", function* () {
    const sessions = yield* AdminSessions
    const away = {
      ...sessions,
      find: () => Effect.fail(new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })),
    }
    const send = yield* Effect.provideService(mount({ authorize }), AdminSessions, away)
    const answer = yield* ask(send, "/session", { headers: { "x-token": "t" } })
    assert.strictEqual(answer.status, 503)
    assert.deepInclude(answer.body, { code: "unavailable" })
  })
})

describe("a login of the host", () => {
  engineTest("has no sessions here", function* () {
    const send = yield* mount({ authorize: () => tenant })
    assert.deepInclude((yield* ask(send, "/session")).body, { hasLoginSessions: false })
    assert.strictEqual((yield* ask(send, "/sessions")).status, 404)
    const end = { method: "POST", body: {} }
    assert.strictEqual((yield* ask(send, "/sessions/end", end)).status, 404)
  })

  engineTest(
    "gets the address of the client past trusted proxies, and so does the session",
    function* () {
      const seen: Array<string | undefined> = []
      const send = yield* mount({
        trustedProxies: ["10.0.0.0/8"],
        authorize: (_, __, { clientAddress }) => {
          seen.push(clientAddress)
          return operator
        },
      })
      const headers = { "x-forwarded-for": "203.0.113.7, 10.0.0.2" }
      const proxied = yield* ask(send, "/session", { headers, peer: "10.0.0.1" })
      assert.deepInclude(proxied.body, { clientAddress: "203.0.113.7" })
      const claimed = yield* ask(send, "/session", { headers, peer: "192.0.2.1" })
      assert.deepInclude(claimed.body, { clientAddress: "192.0.2.1" })
      const unknown = yield* ask(send, "/session", { headers })
      assert.deepInclude(unknown.body, { clientAddress: null })
      assert.deepStrictEqual(seen, ["203.0.113.7", "192.0.2.1", undefined])
    },
  )

  engineTest(
    "refuses an allow list that shuts the address of its request out, if that is asked for",
    function* () {
      yield* TestEngine.open()
      const send = yield* mount({ authorize: () => operator })
      const save = (body: object, peer?: string) =>
        ask(send, "/organizations/acme", {
          method: "PATCH",
          body,
          ...(peer === undefined ? {} : { peer }),
        })
      const warned = { allowList: ["203.0.113.0/24"], admitsOwnAddress: true }
      const refused = yield* save(warned, "192.0.2.1")
      assert.strictEqual(refused.status, 422)
      assert.nestedInclude(refused.body, {
        "problems.allowList[0].code": "shuts_out",
        "problems.allowList[0].params.address": "192.0.2.1",
      })
      assert.deepInclude((yield* ask(send, "/organizations/acme")).body, { allowList: [] })
      assert.strictEqual((yield* save(warned, "203.0.113.7")).status, 200)
      assert.strictEqual((yield* save({ ...warned, allowList: [] }, "192.0.2.1")).status, 200)
      // A mount that does not know the address cannot warn.
      assert.strictEqual((yield* save(warned)).status, 200)
      const saved = yield* save({ ...warned, admitsOwnAddress: false }, "192.0.2.1")
      assert.deepInclude(saved.body, { allowList: ["203.0.113.0/24"] })
    },
  )

  engineTest("does not start with an invalid proxy", function* () {
    const made = yield* Effect.exit(
      Admin.make({ authorize: () => operator, trustedProxies: ["proxy.local"] }),
    )
    assert.strictEqual(made._tag, "Failure")
  })
})
