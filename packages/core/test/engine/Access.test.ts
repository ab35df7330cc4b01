import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as ApiKey from "../../src/domain/access/ApiKey.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "@effect/vitest"
import { Access, maxReloads } from "../../src/engine/Access.ts"
import type { Caller } from "../../src/api/Caller.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { ApiKeys, type CreateApiKey } from "../../src/services/ApiKeys.ts"
import {
  AddressNotAllowed,
  StoreUnavailable,
  Unauthorized,
  InsufficientScope,
} from "../../src/domain/errors/Errors.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Store } from "../../src/ports/Store.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { twoNodes } from "../support/nodes.ts"
import { effectTest, engineTest } from "../support/engineTest.ts"
import type { ApiKeyScope } from "../../src/domain/access/ApiKeyScope.ts"

const to = "+8801712345678"

const authenticate = (key: Redacted.Redacted<string>) =>
  Access.use((access) => access.authenticate(key))

const unauthorized = new Unauthorized()

/** Everything that a caller can ask for; each has to find out whether they may. */
const requests: Readonly<
  Record<
    string,
    (caller: Caller) => Effect.Effect<unknown, { readonly _tag: string }, TestEngine.TestEngine>
  >
> = {
  "Verifications.send": (caller) =>
    Verifications.use((_) => _.send({ ...caller, phoneNumber: to })),
  "Verifications.send of nonsense": (caller) =>
    Verifications.use((_) => _.send({ ...caller, phoneNumber: "nonsense" })),
  "Verifications.check": (caller) =>
    Verifications.use((_) =>
      _.check({ ...caller, requestId: Samples.requestId(), code: Redacted.make("123456") }),
    ),
  "Verifications.check of nonsense": (caller) =>
    Verifications.use((_) => _.check({ ...caller, requestId: "", code: Redacted.make("") })),
  "Verifications.status": (caller) =>
    Verifications.use((_) => _.status({ ...caller, requestId: Samples.requestId() })),
  "Messages.send": (caller) =>
    Messages.use((_) => _.send({ ...caller, phoneNumber: to, text: "hello" })),
  "Messages.send of nothing": (caller) =>
    Messages.use((_) => _.send({ ...caller, phoneNumber: to, text: "" })),
  "Messages.list": (caller) => Messages.use((_) => _.list(caller)),
  "Messages.list of nonsense": (caller) => Messages.use((_) => _.list({ ...caller, limit: 0 })),
  "Messages.get": (caller) => Messages.use((_) => _.get({ ...caller, id: "none" })),
  "Messages.search": (caller) => Messages.use((_) => _.search(caller)),
  "Verifications.search": (caller) => Verifications.use((_) => _.search(caller)),
  "Accounts.balance": (caller) => Accounts.use((_) => _.balance(caller)),
  "Access.confirm": (caller) => Access.use((_) => _.confirm(caller)),
}

describe("Access.authenticate", () => {
  engineTest("finds the caller behind a key", function* () {
    const { key, keyId, organization } = yield* TestEngine.open()
    assert.deepStrictEqual(yield* authenticate(key), { organization, apiKeyId: keyId })
  })

  engineTest(
    "gives the same error for malformed, unknown and revoked keys, and for wrong secrets",
    function* () {
      const { key, keyId, organization } = yield* TestEngine.open()
      const other = yield* ApiKeys.use((_) => _.create({ organization, name: "other" }))
      const unknown = ApiKey.encode("live", new Uint8Array(ApiKey.randomBytes).fill(7))
      const bytes = new Uint8Array(ApiKey.randomBytes).fill(9)
      for (const [index, letter] of [...keyId].entries()) bytes[index] = letters.indexOf(letter)
      const forged = ApiKey.encode("live", bytes)
      assert.strictEqual(forged?.id, keyId)
      yield* ApiKeys.use((_) => _.revoke({ organization, id: other.id }))
      const texts = [
        "",
        "nonsense",
        `${Redacted.value(key)} `,
        Redacted.value(key).slice(0, -1),
        unknown?.text ?? "",
        forged?.text ?? "",
        Redacted.value(other.key),
      ]
      const answers = yield* Effect.forEach(texts, (text) =>
        Effect.flip(authenticate(Redacted.make(text))),
      )
      for (const answer of answers) assert.deepStrictEqual(answer, unauthorized)
    },
  )

  effectTest("accepts a key that another node made a moment ago", function* () {
    const { here, there } = yield* twoNodes()
    const { key, organization } = yield* here(TestEngine.open())
    yield* there(authenticate(key))
    const second = yield* here(ApiKeys.use((_) => _.create({ organization, name: "second" })))
    const caller = yield* there(authenticate(second.key))
    assert.deepStrictEqual(caller, { organization, apiKeyId: second.id })
  })

  effectTest("reads a key and its organization from the store once", function* () {
    const lookups: Array<string> = []
    const memory = MemoryStore.make()
    const counted = Store.of({
      ...memory,
      apiKey: (id) => Effect.tap(memory.apiKey(id), () => Effect.sync(() => lookups.push("key"))),
      organization: (id) =>
        Effect.tap(memory.organization(id), () => Effect.sync(() => lookups.push("organization"))),
    })
    const { here, there } = yield* twoNodes({}, counted)
    yield* here(TestEngine.open())
    const { key } = yield* here(create({ expiresAt: 1_000, scopes: ["balance:read"] }))
    const caller = authenticateFor(key, "balance:read")
    lookups.length = 0
    yield* Effect.replicateEffect(there(caller), 5)
    yield* there(Accounts.use((_) => Effect.flatMap(caller, _.balance)))
    assert.deepStrictEqual(lookups, ["key", "organization"])
  })
})

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

describe("A change of the settings holds on every node from its commit", () => {
  effectTest.each(Object.entries(requests))("a revoked key cannot ask for %s", function* ([, ask]) {
    const { here, there } = yield* twoNodes()
    const { keyId, organization } = yield* here(TestEngine.open())
    const caller: Caller = { organization, apiKeyId: keyId }
    // The other node has its copy, and has served this caller before.
    yield* there(Accounts.use((_) => _.balance(caller)))
    yield* here(ApiKeys.use((_) => _.revoke({ organization, id: keyId })))
    assert.deepStrictEqual(yield* Effect.flip(there(ask(caller))), unauthorized)
    assert.deepStrictEqual(yield* Effect.flip(here(ask(caller))), unauthorized)
  })

  effectTest.each(Object.entries(requests))(
    "a key of a suspended organization cannot ask for %s until it is resumed",
    function* ([, ask]) {
      const { here, there } = yield* twoNodes()
      const { key, keyId, organization } = yield* here(TestEngine.open())
      const caller: Caller = { organization, apiKeyId: keyId }
      yield* there(Effect.flatMap(authenticate(key), () => ask(caller)).pipe(Effect.ignore))
      yield* here(Organizations.use((_) => _.suspend({ id: organization })))
      for (const node of [there, here]) {
        assert.deepStrictEqual(yield* Effect.flip(node(ask(caller))), unauthorized)
        assert.deepStrictEqual(yield* Effect.flip(node(authenticate(key))), unauthorized)
      }
      yield* there(Organizations.use((_) => _.resume({ id: organization })))
      for (const node of [here, there]) {
        assert.deepStrictEqual(yield* node(authenticate(key)), caller)
        const result = yield* Effect.result(node(ask(caller)))
        if (result._tag === "Failure") {
          assert.notStrictEqual(result.failure._tag, "Unauthorized")
        }
      }
    },
  )

  effectTest.each(Object.entries(requests))(
    "the host's own code can ask for %s of a suspended organization",
    function* ([, ask]) {
      const { here, there } = yield* twoNodes()
      const { organization } = yield* here(TestEngine.open())
      yield* there(Accounts.use((_) => _.balance({ organization })))
      yield* here(Organizations.use((_) => _.suspend({ id: organization })))
      const result = yield* Effect.result(there(ask({ organization })))
      if (result._tag === "Failure") assert.notStrictEqual(result.failure._tag, "Unauthorized")
    },
  )

  effectTest.each(Object.entries(requests))(
    "an address that is not allowed any more cannot ask for %s",
    function* ([, ask]) {
      const { here, there } = yield* twoNodes()
      const { organization } = yield* here(TestEngine.open())
      const caller: Caller = { organization, address: "203.0.113.7" }
      yield* there(Accounts.use((_) => _.balance(caller)))
      yield* here(
        Organizations.use((_) => _.update({ id: organization, allowList: ["198.51.100.0/24"] })),
      )
      assert.deepStrictEqual(yield* Effect.flip(there(ask(caller))), new AddressNotAllowed())
    },
  )
})

describe("Access.serve", () => {
  engineTest("checks the key before the address", function* () {
    const { keyId, organization } = yield* TestEngine.open()
    yield* Organizations.use((_) => _.update({ id: organization, allowList: ["::1"] }))
    yield* ApiKeys.use((_) => _.revoke({ organization, id: keyId }))
    const caller: Caller = { organization, apiKeyId: keyId, address: "203.0.113.7" }
    const serve = Access.use((access) => access.serve(caller, () => Effect.void))
    assert.deepStrictEqual(yield* Effect.flip(serve), unauthorized)
  })

  engineTest("does not accept one organization's key for another", function* () {
    const mine = yield* TestEngine.open({ id: "mine" })
    const theirs = yield* TestEngine.open({ id: "theirs" })
    const caller: Caller = { organization: theirs.organization, apiKeyId: mine.keyId }
    const balance = Accounts.use((_) => _.balance(caller))
    assert.deepStrictEqual(yield* Effect.flip(balance), unauthorized)
  })

  engineTest("rejects an unknown organization", function* () {
    const caller: Caller = { organization: OrganizationId("unknown") }
    for (const ask of Object.values(requests)) {
      assert.strictEqual((yield* Effect.flip(ask(caller)))._tag, "OrganizationNotFound")
    }
  })

  effectTest(
    "gives up with a retry time if settings change faster than it can read them",
    function* () {
      const memory = MemoryStore.make()
      let reads = 0
      const restless = Store.of({
        ...memory,
        organization: (id) =>
          Effect.tap(memory.organization(id), () => {
            reads += 1
            return memory.changeOrganization(id, (same) => same)
          }),
      })
      const { here } = yield* twoNodes({}, restless)
      yield* memory.createOrganization(Samples.organization())
      const balance = Accounts.use((_) => _.balance({ organization: Samples.organizationId }))
      const error = yield* Effect.flip(here(balance))
      assert.deepStrictEqual(
        error,
        new StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 1 }),
      )
      assert.strictEqual(reads, maxReloads + 1)
    },
  )
})

const organization = OrganizationId("acme")

const create = (input: Partial<CreateApiKey>) =>
  ApiKeys.use((_) => _.create({ organization, name: "limited", ...input }))

const authenticateFor = (key: Redacted.Redacted<string>, scope?: ApiKeyScope) =>
  Access.use((_) => _.authenticate(key, scope))

const balance = (caller: Caller) => Effect.asVoid(Accounts.use((_) => _.balance(caller)))

const sendCode = (caller: Caller) =>
  Effect.asVoid(Verifications.use((_) => _.send({ ...caller, phoneNumber: "+8801712345678" })))

const asks: ReadonlyArray<
  (caller: Caller) => Effect.Effect<void, { readonly _tag: string }, Accounts | Verifications>
> = [balance, sendCode]

describe("A key that expires", () => {
  effectTest("authenticates until its expiry, on every node, also from its memory", function* () {
    const { here, there } = yield* twoNodes()
    yield* here(TestEngine.open())
    const { id, key } = yield* here(create({ expiresAt: 1_000 }))
    for (const millis of [0, 500, 499]) {
      yield* TestClock.adjust(millis)
      for (const node of [here, there]) {
        assert.deepStrictEqual(yield* node(authenticateFor(key)), { organization, apiKeyId: id })
      }
    }
    yield* TestClock.adjust(1)
    for (const node of [here, there]) {
      assert.deepStrictEqual(yield* Effect.flip(node(authenticateFor(key))), new Unauthorized())
    }
  })

  engineTest("ends a caller that was authenticated before", function* () {
    yield* TestEngine.open()
    const { key } = yield* create({ expiresAt: 1_000 })
    const caller = yield* authenticateFor(key)
    for (const ask of asks) yield* ask(caller)
    yield* TestClock.adjust(1_000)
    for (const ask of asks) {
      assert.deepStrictEqual(yield* Effect.flip(ask(caller)), new Unauthorized())
    }
  })
})

describe("A key with scopes", () => {
  engineTest("may be used for its scopes, and for nothing else", function* () {
    yield* TestEngine.open()
    const { id, key } = yield* create({ scopes: ["balance:read"] })
    const caller = yield* authenticateFor(key, "balance:read")
    assert.deepStrictEqual(caller, { organization, apiKeyId: id, scope: "balance:read" })
    yield* balance(caller)
    for (const scope of ["verify:send", undefined] as const) {
      const other = yield* authenticateFor(key, scope)
      for (const ask of asks) {
        assert.deepStrictEqual(yield* Effect.flip(ask(other)), new InsufficientScope())
      }
    }
  })

  effectTest("is refused for its scopes after the key, and before the address", function* () {
    const { here, there } = yield* twoNodes()
    yield* here(TestEngine.open())
    const { id, key } = yield* here(create({ scopes: ["balance:read"] }))
    yield* here(Organizations.use((_) => _.update({ id: organization, allowList: ["::1"] })))
    const address = "203.0.113.7"
    const allowed = { ...(yield* there(authenticateFor(key, "balance:read"))), address }
    const other = { ...(yield* there(authenticateFor(key, "verify:send"))), address }
    assert.deepStrictEqual(yield* Effect.flip(there(balance(allowed))), new AddressNotAllowed())
    assert.deepStrictEqual(yield* Effect.flip(there(balance(other))), new InsufficientScope())
    yield* here(ApiKeys.use((_) => _.revoke({ organization, id })))
    // The other node finds out about the revocation before it answers.
    assert.deepStrictEqual(yield* Effect.flip(there(balance(other))), new Unauthorized())
  })

  engineTest("does not limit calls of the host", function* () {
    yield* TestEngine.open()
    yield* create({ scopes: ["balance:read"] })
    yield* sendCode({ organization })
  })
})
