import * as Samples from "@countersign/testing/Samples"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import { assert, describe } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Access from "../../src/engine/Access.ts"
import * as Events from "../../src/engine/Events.ts"
import type * as ApiKey from "../../src/domain/access/ApiKey.ts"
import { Unauthorized } from "../../src/domain/errors/Errors.ts"
import { ApiKeyId, OrganizationId } from "../../src/domain/values/Ids.ts"
import * as KeyUses from "../../src/engine/KeyUses.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as Organization from "../../src/domain/organizations/Organization.ts"
import { Store } from "../../src/ports/Store.ts"
import { countedReads } from "../support/countedReads.ts"
import { keyText } from "../support/keyText.ts"
import { effectTest } from "../support/engineTest.ts"

const goodId = "goodgoodgoodgood"
const revokedId = "revokedrevokedre"
const expiredId = "expiredexpiredex"
const suspendedId = "suspendedsuspend"
const secret = "s".repeat(43)
const otherSecret = "o".repeat(43)
const good = keyText("live", goodId, secret)

const wrongKeys = {
  "a key with a wrong secret": keyText("live", goodId, otherSecret),
  "a key with an unknown id": keyText("live", "unknownunknownun", secret),
  "a revoked key": keyText("live", revokedId, secret),
  "a revoked key with a wrong secret": keyText("live", revokedId, otherSecret),
  "an expired key": keyText("live", expiredId, secret),
  "an expired key with a wrong secret": keyText("live", expiredId, otherSecret),
  "a live key that says it is a test key": keyText("test", goodId, secret),
  "a key of a suspended organization": keyText("live", suspendedId, secret),
  "a key of a suspended organization with a wrong secret": keyText(
    "live",
    suspendedId,
    otherSecret,
  ),
  "a key with a wrong checksum": `${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}`,
} as const

/** Bytes of a digest that are its place in the cache. */
const placeReads = 6

/** A node whose store calls, searches among keys, digests and reads of digests are counted. */
const countingNode = Effect.gen(function* () {
  const calls: Array<string> = []
  let searches = 0
  const digests: Array<() => number> = []
  const memory = MemoryStore.make()
  /** An organization whose keys count how often they are searched. */
  const searched = (organization: Organization.Organization): Organization.Organization =>
    new Proxy(organization, {
      get: (target, property): unknown => {
        if (property === "keys") searches += 1
        return Reflect.get(target, property)
      },
    })
  const counted = {
    ...memory,
    organization: (id: OrganizationId) =>
      Effect.map(memory.organization(id), (found) => found && searched(found)),
    changeOrganization: (...change: Parameters<typeof memory.changeOrganization>) =>
      Effect.map(
        memory.changeOrganization(...change),
        (changed) => changed && { ...changed, organization: searched(changed.organization) },
      ),
  }
  const store = new Proxy(counted, {
    get: (target, property): unknown => {
      calls.push(String(property))
      return Reflect.get(target, property)
    },
  })
  const { digest, digestHex } = yield* Digest.Digest
  const counting = Digest.Digest.of({
    digest: (algorithm, data) =>
      Effect.map(digest(algorithm, data), (bytes) => {
        const counted = countedReads(bytes)
        digests.push(counted.reads)
        return counted.bytes
      }),
    digestHex,
  })
  const secretHash = yield* digest(Digest.sha256, new TextEncoder().encode(secret))
  const key = (id: string, end: Partial<ApiKey.ApiKey> = {}) =>
    Samples.apiKey({ id: ApiKeyId(id), secretHash, ...end })
  const keys = [
    key(goodId),
    key(revokedId, { revokedAt: Samples.now }),
    // The clock of the test stands at 0.
    key(expiredId, { expiresAt: 0 }),
  ]
  yield* memory.createOrganization(Samples.organization({ keys }))
  const suspended = Samples.organization({
    id: OrganizationId("zenith"),
    settings: { ...Organization.defaultSettings, isSuspended: true },
    keys: [key(suspendedId)],
  })
  yield* memory.createOrganization(suspended)
  const layer = Access.layer.pipe(
    Layer.provide(KeyUses.layer),
    Layer.provide(Events.layer),
    Layer.provide(Layer.succeed(Store, store)),
    Layer.provide(Layer.succeed(Digest.Digest, counting)),
  )
  const access = yield* Effect.provide(Access.Access, layer)
  const authenticate = (text: string) => access.authenticate(Redacted.make(text))
  /** What one attempt costs. */
  const workOf = Effect.fnUntraced(function* (text: string) {
    calls.length = 0
    digests.length = 0
    searches = 0
    const result = yield* Effect.result(authenticate(text))
    return {
      result,
      work: { calls: [...calls], comparisons: digests.map((reads) => (reads() - placeReads) / 32) },
      searches,
    }
  })
  /** Suspends the organization of the good key on this node. */
  const suspend = access.change(Samples.organizationId, (current) =>
    Organization.withSettings(current, { isSuspended: true }),
  )
  /** Revokes the good key on this node. */
  const revoke = access.change(Samples.organizationId, (current) =>
    Organization.withoutKey(current, ApiKeyId(goodId), Samples.now),
  )
  return { authenticate, revoke, suspend, workOf }
}).pipe(Effect.provide(TestCrypto.layer()))

/** What a node has in memory before the attempt. */
const caches: ReadonlyArray<readonly [name: string, ...seen: ReadonlyArray<string>]> = [
  ["that has seen no key"],
  ["that has served the organization", good],
  ["that has seen every wrong key", good, ...Object.values(wrongKeys)],
]

describe("A wrong key", () => {
  for (const [node, ...seen] of caches) {
    effectTest.each(Object.entries(wrongKeys))(
      `costs one look-up, one digest and one comparison on a node ${node}: %s`,
      function* ([, text]) {
        const { authenticate, workOf } = yield* countingNode
        yield* Effect.forEach(seen, (key) => Effect.result(authenticate(key)))
        const { result, work } = yield* workOf(text)
        assert.deepStrictEqual(result._tag === "Failure" && result.failure, new Unauthorized())
        assert.deepStrictEqual(work, { calls: ["apiKey"], comparisons: [1] })
      },
    )
  }

  effectTest("costs no search among the keys of its organization", function* () {
    const { authenticate, workOf } = yield* countingNode
    yield* authenticate(good)
    assert.strictEqual((yield* workOf(good)).searches, 1)
    for (const text of [
      wrongKeys["a key with a wrong secret"],
      wrongKeys["a revoked key with a wrong secret"],
      keyText("live", "unknownunknownun", otherSecret),
    ]) {
      assert.strictEqual((yield* workOf(text)).searches, 0)
    }
  })

  effectTest("costs one search among them if the node has served it before", function* () {
    const { authenticate, revoke, workOf } = yield* countingNode
    yield* authenticate(good)
    yield* revoke
    const searches = []
    for (const text of [good, good]) searches.push((yield* workOf(text)).searches)
    assert.deepStrictEqual(searches, [1, 0])
  })

  effectTest(
    "costs the same if its organization has just been suspended on this node",
    function* () {
      const { authenticate, suspend, workOf } = yield* countingNode
      yield* authenticate(good)
      yield* suspend
      const { result, work } = yield* workOf(good)
      assert.deepStrictEqual(result._tag === "Failure" && result.failure, new Unauthorized())
      assert.deepStrictEqual(work, { calls: ["apiKey"], comparisons: [1] })
    },
  )

  effectTest.each([
    ["nothing", ""],
    ["no key", "nonsense"],
    ["a key without its checksum", good.slice(0, -7)],
  ] as const)("costs nothing if it does not have the form of a key: %s", function* ([, text]) {
    const { workOf } = yield* countingNode
    const { result, work } = yield* workOf(text)
    assert.deepStrictEqual(result._tag === "Failure" && result.failure, new Unauthorized())
    assert.deepStrictEqual(work, { calls: [], comparisons: [] })
  })
})

describe("A good key", () => {
  effectTest("is looked up once, and then costs one digest and one comparison", function* () {
    const { workOf } = yield* countingNode
    const first = yield* workOf(good)
    assert.deepStrictEqual(first.work, { calls: ["apiKey", "organization"], comparisons: [1] })
    const second = yield* workOf(good)
    assert.deepStrictEqual(second.work, { calls: [], comparisons: [1] })
    assert.strictEqual(second.result._tag, "Success")
  })
})
