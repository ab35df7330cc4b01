import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { Actor } from "../../src/domain/values/Actor.ts"
import { Access } from "../../src/engine/Access.ts"
import { KeyUses } from "../../src/engine/KeyUses.ts"
import * as ApiKey from "../../src/domain/access/ApiKey.ts"
import { ApiKeys, type CreateApiKey } from "../../src/services/ApiKeys.ts"
import { ApiKeyNotFound } from "../../src/domain/errors/Errors.ts"
import { ApiKeyId, OrganizationId } from "../../src/domain/values/Ids.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Store } from "../../src/ports/Store.ts"
import { invalidCodes } from "../support/invalidFields.ts"
import { untyped } from "../support/untyped.ts"
import { engineTest } from "../support/engineTest.ts"

const organization = OrganizationId("acme")
const create = (name: string, environment?: ApiKey.Environment) =>
  ApiKeys.use((_) => _.create({ organization, name, environment }))
const list = ApiKeys.use((_) => _.list({ organization }))
const revoke = (id: ApiKeyId) => ApiKeys.use((_) => _.revoke({ organization, id }))
const authenticate = (key: Redacted.Redacted<string>) => Access.use((_) => _.authenticate(key))

describe("ApiKeys", () => {
  engineTest("shows the text of a key once, and only its name afterwards", function* () {
    yield* TestEngine.open()
    const { key, ...summary } = yield* create("backend")
    const text = Redacted.value(key)
    assert.strictEqual(ApiKey.split(text)?.id, summary.id)
    assert.deepInclude(summary, { name: "backend", environment: "live", revokedAt: null })
    const listed = yield* list
    assert.deepStrictEqual(listed.at(-1), summary)
    const secret = ApiKey.split(text)?.secret ?? ""
    const stored = JSON.stringify(yield* Store.use((store) => store.organization(organization)))
    for (const output of [JSON.stringify(listed), stored, String(key), JSON.stringify({ key })]) {
      assert.notInclude(output, secret)
    }
    assert.strictEqual((yield* authenticate(key)).apiKeyId, summary.id)
  })

  engineTest("shows its creator, and how often it was used in a week", function* () {
    yield* TestEngine.open()
    const created = ApiKeys.use((_) => _.create({ organization, name: "backend" }))
    const { createdBy, id, key, requests } = yield* Effect.provideService(created, Actor, {
      id: "amir",
      origin: null,
    })
    assert.deepStrictEqual([createdBy, requests], ["amir", 0])
    yield* authenticate(key)
    yield* authenticate(key)
    yield* KeyUses.use((_) => _.flush)
    assert.deepInclude((yield* list).at(-1), { id, createdBy: "amir", requests: 2 })
    yield* TestClock.adjust("7 days")
    assert.deepInclude((yield* list).at(-1), { id, requests: 0 })
  })

  engineTest("revokes permanently and once, and lists the time", function* () {
    yield* TestEngine.open()
    const { id, key } = yield* create("leaked")
    yield* TestClock.adjust(500)
    yield* revoke(id)
    yield* TestClock.adjust(500)
    yield* revoke(id)
    assert.deepInclude((yield* list).at(-1), { id, revokedAt: 500 })
    assert.strictEqual((yield* Effect.flip(authenticate(key)))._tag, "Unauthorized")
  })

  engineTest(
    "fails to revoke a key that the organization does not have, and changes nothing",
    function* () {
      const { key, keyId } = yield* TestEngine.open()
      const { version } = yield* Organizations.use((_) => _.get({ id: organization }))
      const other = (yield* TestEngine.open({ id: "zenith" })).organization
      for (const unknown of [
        revoke(ApiKeyId("unknown")),
        ApiKeys.use((_) => _.revoke({ organization: other, id: keyId })),
      ]) {
        assert.deepStrictEqual(yield* Effect.flip(unknown), new ApiKeyNotFound())
      }
      assert.strictEqual((yield* authenticate(key)).organization, organization)
      assert.strictEqual(
        (yield* Organizations.use((_) => _.get({ id: organization }))).version,
        version,
      )
    },
  )

  engineTest("keeps the expiry and the scopes of a key, and lists them", function* () {
    yield* TestEngine.open()
    yield* ApiKeys.use((_) => _.create({ organization, name: "free" }))
    const { key: _text, ...limited } = yield* ApiKeys.use((_) =>
      _.create({
        organization,
        name: "limited",
        expiresAt: 1,
        scopes: ["verify:send", "messages:read", "verify:send"],
      }),
    )
    assert.deepInclude(limited, { expiresAt: 1, scopes: ["messages:read", "verify:send"] })
    const [free, last] = (yield* list).slice(-2)
    assert.deepInclude(free, { name: "free", expiresAt: null, scopes: null, lastUsedAt: null })
    assert.deepStrictEqual(last, limited)
  })

  const refused: ReadonlyArray<readonly [Partial<CreateApiKey>, field: string, code: string]> = [
    [{ expiresAt: 1_000 }, "expiresAt", "not_in_future"],
    [{ expiresAt: -1 }, "expiresAt", "not_in_future"],
    [{ expiresAt: 1_000.5 }, "expiresAt", "not_integer"],
    [{ expiresAt: Number.NaN }, "expiresAt", "not_integer"],
    [{ scopes: [] }, "scopes", "empty"],
    [{ scopes: untyped(["verify"]) }, "scopes", "unknown_option"],
  ]
  engineTest.each(refused)("refuses %j", function* ([input, field, code]) {
    yield* TestEngine.open()
    yield* TestClock.adjust(1_000)
    const refused = ApiKeys.use((_) => _.create({ organization, name: "wrong", ...input }))
    assert.deepStrictEqual(yield* invalidCodes(refused), { [field]: code })
    assert.strictEqual((yield* list).length, 1)
  })
})
