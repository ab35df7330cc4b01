import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { lifetimeMillis } from "../../src/domain/access/AdminSession.ts"
import { Store } from "../../src/ports/Store.ts"
import { AdminSessions } from "../../src/services/AdminSessions.ts"
import { engineTest } from "../support/engineTest.ts"

const login = "ops"

const begin = (input: { readonly address?: string; readonly agent?: string } = {}) =>
  AdminSessions.use((sessions) => sessions.begin({ login, ...input }))
const find = (token: string, of = login) =>
  AdminSessions.use((sessions) => sessions.find({ login: of, token }))
const list = AdminSessions.use((sessions) => sessions.list(login))

describe("AdminSessions", () => {
  engineTest("finds a session by its token, which is stored nowhere", function* () {
    const token = yield* begin({ address: "203.0.113.77", agent: "Firefox" })
    assert.match(token, /^[\w-]{43}$/)
    const found = yield* find(token)
    assert.deepInclude(found, { login, network: "203.0.113.0/24", agent: "Firefox" })
    assert.isUndefined(yield* find(token, "another login"))
    assert.isUndefined(yield* find(`${token}x`))
    const stored = JSON.stringify(yield* Store.use((store) => store.adminSessions))
    assert.notInclude(stored, token)
    assert.notInclude(stored, "203.0.113.77")
    assert.notStrictEqual(yield* begin(), token)
  })

  engineTest("ends a session at once, alone or with all others of its login", function* () {
    const sessions = yield* AdminSessions
    const [one, two, three] = [yield* begin(), yield* begin(), yield* begin()]
    const elsewhere = yield* sessions.begin({ login: "support" })
    yield* sessions.end({ login: "support", token: one })
    assert.isDefined(yield* find(one))
    yield* sessions.end({ login, token: one })
    assert.isUndefined(yield* find(one))
    assert.isDefined(yield* find(two))
    yield* sessions.endSessions((yield* list).map(({ id }) => id))
    for (const token of [two, three]) assert.isUndefined(yield* find(token))
    assert.deepStrictEqual(yield* list, [])
    assert.isDefined(yield* find(elsewhere, "support"))
  })

  engineTest("ends every session after 12 hours, and forgets it at the next sign-in", function* () {
    const token = yield* begin()
    yield* TestClock.adjust(lifetimeMillis - 1)
    assert.isDefined(yield* find(token))
    yield* TestClock.adjust(1)
    assert.isUndefined(yield* find(token))
    assert.deepStrictEqual(yield* list, [])
    yield* AdminSessions.use((sessions) => sessions.begin({ login: "support" }))
    assert.lengthOf(yield* Store.use((store) => store.adminSessions), 1)
  })

  engineTest("records a request a minute after the last one that it recorded", function* () {
    const token = yield* begin()
    const seen = Effect.map(list, ([session]) => (session?.seenAt ?? 0) - (session?.startedAt ?? 0))
    yield* TestClock.adjust(59_999)
    yield* find(token)
    assert.strictEqual(yield* seen, 0)
    yield* TestClock.adjust(1)
    yield* find(token)
    assert.strictEqual(yield* seen, 60_000)
  })
})
