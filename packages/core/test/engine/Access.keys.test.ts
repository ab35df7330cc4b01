import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { Access } from "../../src/engine/Access.ts"
import type { Caller } from "../../src/api/Caller.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { ApiKeys, type CreateApiKey } from "../../src/services/ApiKeys.ts"
import type { ApiKeyScope } from "../../src/domain/access/ApiKeyScope.ts"
import {
  AddressNotAllowed,
  InsufficientScope,
  Unauthorized,
} from "../../src/domain/errors/Errors.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Store } from "../../src/ports/Store.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { twoNodes } from "../support/nodes.ts"
import { effectTest, engineTest } from "../support/engineTest.ts"

const organization = OrganizationId("acme")
const create = (input: Partial<CreateApiKey>) =>
  ApiKeys.use((_) => _.create({ organization, name: "limited", ...input }))
const authenticate = (key: Redacted.Redacted<string>, scope?: ApiKeyScope) =>
  Access.use((_) => _.authenticate(key, scope))
const balance = (caller: Caller) => Effect.asVoid(Accounts.use((_) => _.balance(caller)))
const send = (caller: Caller) =>
  Effect.asVoid(Verifications.use((_) => _.send({ ...caller, phoneNumber: "+8801712345678" })))
const asks: ReadonlyArray<
  (caller: Caller) => Effect.Effect<void, { readonly _tag: string }, Accounts | Verifications>
> = [balance, send]

describe("A key that expires", () => {
  effectTest("authenticates until its expiry, on every node, also from its memory", function* () {
    const { here, there } = yield* twoNodes()
    yield* here(TestEngine.open())
    const { id, key } = yield* here(create({ expiresAt: 1_000 }))
    for (const millis of [0, 500, 499]) {
      yield* TestClock.adjust(millis)
      for (const node of [here, there]) {
        assert.deepStrictEqual(yield* node(authenticate(key)), { organization, key: id })
      }
    }
    yield* TestClock.adjust(1)
    for (const node of [here, there]) {
      assert.deepStrictEqual(yield* Effect.flip(node(authenticate(key))), new Unauthorized())
    }
  })

  engineTest("ends a caller that was authenticated before", function* () {
    yield* TestEngine.open()
    const { key } = yield* create({ expiresAt: 1_000 })
    const caller = yield* authenticate(key)
    for (const ask of asks) yield* ask(caller)
    yield* TestClock.adjust(1_000)
    for (const ask of asks) {
      assert.deepStrictEqual(yield* Effect.flip(ask(caller)), new Unauthorized())
    }
  })

  effectTest("needs no read of the store while it is valid", function* () {
    const reads: Array<string> = []
    const memory = MemoryStore.make()
    const counted = Store.of({
      ...memory,
      apiKey: (id) => Effect.tap(memory.apiKey(id), () => Effect.sync(() => reads.push(id))),
    })
    const { here } = yield* twoNodes({}, counted)
    yield* here(TestEngine.open())
    const { id, key } = yield* here(create({ expiresAt: 1_000, scopes: ["balance:read"] }))
    yield* Effect.replicateEffect(here(authenticate(key, "balance:read")), 3)
    assert.deepStrictEqual(reads, [id])
  })
})

describe("A key with scopes", () => {
  engineTest("may be used for its scopes, and for nothing else", function* () {
    yield* TestEngine.open()
    const { id, key } = yield* create({ scopes: ["balance:read"] })
    const caller = yield* authenticate(key, "balance:read")
    assert.deepStrictEqual(caller, { organization, key: id, scope: "balance:read" })
    yield* balance(caller)
    for (const scope of ["verify:send", undefined] as const) {
      const other = yield* authenticate(key, scope)
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
    const allowed = { ...(yield* there(authenticate(key, "balance:read"))), address }
    const other = { ...(yield* there(authenticate(key, "verify:send"))), address }
    assert.deepStrictEqual(yield* Effect.flip(there(balance(allowed))), new AddressNotAllowed())
    assert.deepStrictEqual(yield* Effect.flip(there(balance(other))), new InsufficientScope())
    yield* here(ApiKeys.use((_) => _.revoke({ organization, id })))
    // The other node finds out about the revocation before it answers.
    assert.deepStrictEqual(yield* Effect.flip(there(balance(other))), new Unauthorized())
  })

  engineTest("does not limit calls of the host", function* () {
    yield* TestEngine.open()
    yield* create({ scopes: ["balance:read"] })
    yield* send({ organization })
  })
})
