import { assert, describe, it } from "vitest"
import * as AdminSession from "../../../src/domain/access/AdminSession.ts"

const session = (change: Partial<AdminSession.AdminSession> = {}): AdminSession.AdminSession => ({
  id: "s",
  login: "dashboard",
  startedAt: 0,
  seenAt: 0,
  network: null,
  agent: null,
  person: null,
  ...change,
})

const { lifetimeMillis, maxPerLogin, sampleMillis } = AdminSession

describe("a session", () => {
  it("is over after its lifetime", () => {
    assert.isFalse(AdminSession.isOver(session({ startedAt: 5 }), lifetimeMillis + 4))
    assert.isTrue(AdminSession.isOver(session({ startedAt: 5 }), lifetimeMillis + 5))
  })

  it("has its last request recorded once a minute", () => {
    assert.isFalse(AdminSession.isSeen(session({ seenAt: 5 }), sampleMillis + 4))
    assert.isTrue(AdminSession.isSeen(session({ seenAt: 5 }), sampleMillis + 5))
  })

  it.each([
    ["203.0.113.7", "203.0.113.0/24"],
    ["::ffff:203.0.113.7", "203.0.113.0/24"],
    ["2001:db8:1:2::3", "2001:db8:1::/48"],
    ["unknown", null],
  ])("from %s is from the network %s", (address, network) => {
    assert.strictEqual(AdminSession.networkOf(address), network)
  })

  it("has an agent that a database can store", () => {
    assert.strictEqual(AdminSession.textOf("a\0b\ud800"), "ab\ufffd")
    assert.lengthOf(AdminSession.textOf("x".repeat(500)), 300)
  })
})

describe("a further session of a person ends", () => {
  const dashboard = { login: "dashboard", person: null }
  const now = lifetimeMillis
  const open = Array.from({ length: maxPerLogin }, (_, index) =>
    session({ id: String(index), startedAt: 1 + index }),
  )

  it("those that are over, of any login", () => {
    const over = session({ startedAt: 0, login: "other" })
    assert.deepStrictEqual(AdminSession.ended([over, session({ startedAt: 1 })], dashboard, now), [
      over,
    ])
  })

  it("its oldest one if it has too many, and none of another login", () => {
    const others = open.map((one) => ({ ...one, login: "other" }))
    assert.deepStrictEqual(
      AdminSession.ended([...open, ...others], dashboard, now),
      open.slice(0, 1),
    )
    assert.deepStrictEqual(AdminSession.ended([...open.slice(1), ...others], dashboard, now), [])
  })

  it("none of another person", () => {
    const olga = { id: "olga", name: "Olga", roles: [], organizations: null }
    const further = { login: "dashboard", person: olga }
    assert.deepStrictEqual(
      AdminSession.ended([...open, session({ startedAt: 1 })], further, now),
      [],
    )
    const own = open.map((one) => ({ ...one, person: { ...olga, name: "Olga R." } }))
    assert.lengthOf(AdminSession.ended([...own, ...open], further, now), 1)
  })
})
