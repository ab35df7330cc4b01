import { assert, describe, it } from "@effect/vitest"
import * as KnownClient from "../../../src/domain/verifications/KnownClient.ts"

const { knownMillis, maxClients } = KnownClient

const known = (client: string, overrides: Partial<KnownClient.KnownClient> = {}) => ({
  client,
  verifiedAt: 1_000,
  window: [],
  sinceSuccess: 0,
  ...overrides,
})

const names = (clients: ReadonlyArray<KnownClient.KnownClient>) =>
  clients.map(({ client }) => client)

describe("KnownClient.find", () => {
  const clients = [known("a"), known("b")]

  it.each([
    ["its digest under the current secret", ["b"], 1_000, "b"],
    ["its digest under a retiring secret", ["new", "b"], 1_000, "b"],
    ["another digest", ["c"], 1_000, undefined],
    ["no digest", undefined, 1_000, undefined],
    ["its digest, until 90 days have passed", ["a"], 1_000 + knownMillis - 1, "a"],
    ["its digest, 90 days later", ["a"], 1_000 + knownMillis, undefined],
  ] as const)("by %s", (_, digests, now, expected) => {
    assert.strictEqual(KnownClient.find(clients, digests, now)?.client, expected)
  })
})

describe("KnownClient.remember", () => {
  it("puts the client first, and forgets the one that verified the number least recently", () => {
    let clients: ReadonlyArray<KnownClient.KnownClient> = []
    for (let index = 0; index <= maxClients; index++) {
      clients = KnownClient.remember(clients, [`c${index}`], index)
    }
    assert.lengthOf(clients, maxClients)
    assert.strictEqual(clients[0]?.client, `c${maxClients}`)
    assert.notInclude(names(clients), "c0")
    const again = KnownClient.remember(clients, ["c3"], 100)
    assert.deepStrictEqual(names(again), ["c3", ...names(clients).filter((one) => one !== "c3")])
  })

  it("keeps the window of its wrong codes, ends their series, and renews its digest", () => {
    const before = known("old", { window: [5, 6], sinceSuccess: 2 })
    const after = KnownClient.remember([known("a"), before], ["new", "old"], 9)
    assert.deepStrictEqual(after, [known("new", { verifiedAt: 9, window: [5, 6] }), known("a")])
  })
})
