import { assert, describe, it } from "@effect/vitest"
import * as Samples from "@countersign/testing/Samples"
import * as fc from "fast-check"
import * as ApiKey from "../../../src/domain/access/ApiKey.ts"
import { chiSquare } from "../../support/chiSquare.ts"
import { seededBytes as bytesFrom } from "@countersign/testing/TestCrypto"
import { keyText } from "../../support/keyText.ts"

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const random = fc.uint8Array({ minLength: ApiKey.randomBytes, maxLength: ApiKey.randomBytes })
const environment = fc.constantFrom<ApiKey.Environment>("live", "test")
const key = fc
  .tuple(environment, random)
  .map(([env, bytes]) => ApiKey.encode(env, bytes))
  .filter((drawn) => drawn !== undefined)

const sample = "csk_live_0123456789ABCDEF_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_"

const isIntact = (text: string): boolean => ApiKey.split(text)?.isIntact === true

describe("ApiKey", () => {
  it("parses every key that it makes, in the pattern for secret scanners", () => {
    fc.assert(
      fc.property(key, ({ text, ...parts }) => {
        assert.deepStrictEqual(ApiKey.split(text), { ...parts, isIntact: true })
        assert.match(text, ApiKey.pattern)
      }),
    )
  })

  it("refuses every single-letter change of one key, without exception", () => {
    const drawn = ApiKey.encode("live", bytesFrom(1)(ApiKey.randomBytes))
    const text = drawn?.text ?? ""
    assert.isTrue(isIntact(text))
    for (let at = 0; at < text.length; at++) {
      for (const letter of letters) {
        if (text.charAt(at) === letter) continue
        assert.isFalse(isIntact(text.slice(0, at) + letter + text.slice(at + 1)))
      }
    }
  })

  it.each([
    "",
    "csk_live",
    `${sample}000000`,
    ` ${sample}000000`,
    `${sample}000000\n`,
    `sk${sample}000000`,
    `${sample}0000000`,
    sample.replace("live", "prod"),
    `Bearer ${sample}000000`,
  ])("does not parse %j", (text) => assert.isFalse(isIntact(text)))

  it("has a fingerprint of the id and 8 letters of the secret", () => {
    fc.assert(
      fc.property(key, fc.nat({ max: 58 }), environment, ({ id, secret, text }, place, env) => {
        const print = ApiKey.fingerprint(text)
        assert.strictEqual(print, `${id}${secret.slice(0, 8)}${text.slice(-6)}`)
        const changed = [...`${id}${secret}`]
        changed[place] = changed[place] === "0" ? "1" : "0"
        assert.notStrictEqual(
          ApiKey.fingerprint(
            keyText(env, changed.join("").slice(0, 16), changed.join("").slice(16)),
          ),
          print,
        )
      }),
    )
  })

  it.each(["", "nonsense", `${sample}000000`])("has no fingerprint for %j", (text) =>
    assert.isUndefined(ApiKey.fingerprint(text)),
  )

  it("draws every letter equally often", () => {
    const counts = new Map<string, number>()
    const bytes = bytesFrom(7)
    for (let draw = 0; draw < 2_000; draw++) {
      const drawn = ApiKey.encode("live", bytes(ApiKey.randomBytes))
      for (const letter of `${drawn?.id}${drawn?.secret}`) {
        counts.set(letter, (counts.get(letter) ?? 0) + 1)
      }
    }
    assert.strictEqual(counts.size, letters.length)
    // 61 degrees of freedom: beyond 116 in 1 of 100,000 samples.
    assert.isBelow(chiSquare([...counts.values()]), 116)
  })

  it("draws more bytes instead of biasing the letters", () => {
    assert.isUndefined(ApiKey.encode("live", new Uint8Array(ApiKey.randomBytes).fill(255)))
    assert.isUndefined(ApiKey.encode("live", new Uint8Array(58)))
    assert.isDefined(ApiKey.encode("live", new Uint8Array(59)))
  })
})

describe("ApiKey.isActive", () => {
  const states: ReadonlyArray<readonly [Partial<ApiKey.ApiKey>, now: number, boolean]> = [
    [{}, Number.MAX_SAFE_INTEGER, true],
    [{ expiresAt: 1_000 }, 999, true],
    [{ expiresAt: 1_000 }, 1_000, false],
    [{ expiresAt: 0 }, 0, false],
    [{ revokedAt: 0 }, 0, false],
    [{ revokedAt: 1_000 }, 0, false],
    [{ revokedAt: 500, expiresAt: 1_000 }, 999, false],
  ]
  it.each(states)("of a key with %o at %i is %o", (overrides, now, isActive) => {
    assert.strictEqual(ApiKey.isActive(Samples.apiKey(overrides), now), isActive)
  })
})

describe("ApiKey.allows", () => {
  it("allows everything without scopes, and only its scopes with them", () => {
    const free = Samples.apiKey()
    assert.isTrue(ApiKey.allows(free, "verify:send"))
    assert.isTrue(ApiKey.allows(free, undefined))
    const limited = Samples.apiKey({ scopes: ["verify:check"] })
    assert.isTrue(ApiKey.allows(limited, "verify:check"))
    assert.isFalse(ApiKey.allows(limited, "verify:send"))
    assert.isFalse(ApiKey.allows(limited, undefined))
  })
})

describe("a use of a key", () => {
  const minute = ApiKey.sampleMillis
  it.each([
    ["the first", { lastUsedAt: null }, true],
    ["a minute later", { lastUsedAt: -minute }, true],
    ["less than a minute later", { lastUsedAt: 1 - minute }, false],
    ["after its revocation", { lastUsedAt: null, revokedAt: 0 }, false],
  ])("%s: recorded %s", (_, change, isRecorded) => {
    const one = Samples.apiKey(change)
    const after = ApiKey.withUse(one, 0)
    assert.deepStrictEqual(after, isRecorded ? { ...one, lastUsedAt: 0 } : one)
    if (!isRecorded) assert.strictEqual(after, one)
  })
})

describe("a key matches", () => {
  const { now } = Samples
  const live = { environment: "live", isIntact: true } as const
  const hash = Samples.digest("secret")
  it.each([
    ["with its secret", Samples.apiKey(), live, hash, true],
    ["with another secret", Samples.apiKey(), live, Samples.digest("other"), false],
    ["with a wrong checksum", Samples.apiKey(), { ...live, isIntact: false }, hash, false],
    ["as a key of tests", Samples.apiKey(), { ...live, environment: "test" as const }, hash, false],
    ["when it is revoked", Samples.apiKey({ revokedAt: now }), live, hash, false],
    ["when it has expired", Samples.apiKey({ expiresAt: now }), live, hash, false],
    ["without a stored one", undefined, live, hash, false],
    ["without a stored one, with a hash of zeros", undefined, live, new Uint8Array(32), false],
  ] as const)("%s: %4$", (_, stored, candidate, secretHash, expected) => {
    assert.strictEqual(ApiKey.matches(stored, candidate, secretHash, now), expected)
  })
})
