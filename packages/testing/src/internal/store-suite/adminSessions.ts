import type { AdminSession } from "@countersign/core/domain/access/AdminSession"
import { assert } from "@effect/vitest"
import type { Test } from "./support.ts"

const session = (id: string, startedAt: number): AdminSession => ({
  id,
  login: "dashboard",
  startedAt,
  seenAt: startedAt,
  network: "203.0.113.0/24",
  agent: "Mozilla/5.0 “বাংলা”",
  person: {
    id: "00u1",
    name: 'আমির "Amir" {\\}',
    roles: ["support", "tenant"],
    organizations: ["acme", "beta"],
  },
})

export const adminSessionsSection = (test: Test): void => {
  test("a session of the admin pages is found until it ends", function* (store) {
    const one = session("a", 5)
    const other: AdminSession = { ...session("b", 7), network: null, agent: null, person: null }
    yield* store.addAdminSession(one)
    yield* store.addAdminSession(other)
    assert.deepStrictEqual(yield* store.adminSession("a"), one)
    assert.isUndefined(yield* store.adminSession("c"))
    assert.deepStrictEqual(yield* store.adminSessions, [other, one])
    yield* store.seeAdminSession("a", 9)
    yield* store.seeAdminSession("c", 9)
    assert.deepStrictEqual(yield* store.adminSession("a"), { ...one, seenAt: 9 })
    assert.deepStrictEqual(yield* store.adminSession("b"), other)
    yield* store.endAdminSessions(["a", "c"])
    assert.deepStrictEqual(yield* store.adminSessions, [other])
    yield* store.seeAdminSession("a", 10)
    assert.isUndefined(yield* store.adminSession("a"))
    yield* store.endAdminSessions([])
    assert.deepStrictEqual(yield* store.adminSessions, [other])
  })
}
