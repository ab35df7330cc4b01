import * as ApiKey from "@countersign/core/domain/access/ApiKey"
import { seededBytes } from "@countersign/testing/TestCrypto"
import { assert, describe, it } from "@effect/vitest"
import { AdmissionGate, maxKnownKeys } from "../../src/mount/AdmissionGate.ts"
import { keyText, spellings } from "../support/keys.ts"

const good = keyText("goodgoodgoodgood", "s")
const other = keyText("otherotherothero", "s")

/** A gate that admits by header, whose keys authenticate on request. */
const gateOf = (bounds: { readonly max: number; readonly maxPerKey: number }) => {
  const gate = new AdmissionGate(bounds)
  const enter = (authorization: string | undefined): object | undefined => {
    const request = {}
    return gate.admit(request, authorization) ? request : undefined
  }
  return {
    gate,
    enter,
    /** How many of these get in, one after another; they stay inside. */
    entering: (headers: ReadonlyArray<string | undefined>) =>
      headers.filter((header) => enter(header) !== undefined).length,
    /** A request with this key comes, authenticates and goes. */
    authenticate: (key: string) => {
      const request = enter(`Bearer ${key}`) ?? assert.fail("no room")
      assert.isTrue(gate.authenticate(request))
      gate.release(request)
    },
  }
}

const times = <A>(count: number, value: A): ReadonlyArray<A> =>
  Array.from({ length: count }, () => value)

describe("the admission gate", () => {
  it("admits requests up to its bounds, in total and for each key", () => {
    const { authenticate, gate, entering } = gateOf({ max: 5, maxPerKey: 3 })
    for (const key of [good, other]) authenticate(key)
    assert.strictEqual(entering(times(4, `Bearer ${good}`)), 3)
    assert.strictEqual(entering(times(3, `Bearer ${other}`)), 2)
    assert.strictEqual(gate.size, 5)
  })

  it("has room again after each release", () => {
    const { gate, enter, entering } = gateOf({ max: 2, maxPerKey: 2 })
    const requests = [enter(undefined), enter(undefined)]
    assert.isUndefined(enter(undefined))
    for (const request of requests) gate.release(request ?? assert.fail())
    assert.strictEqual(gate.size, 0)
    assert.strictEqual(entering(times(3, undefined)), 2)
  })

  it("counts a request that is extended until each extension is released as well", () => {
    const { gate, enter, entering } = gateOf({ max: 1, maxPerKey: 1 })
    const notified: Array<string> = []
    const request = enter(undefined) ?? assert.fail()
    gate.extend(request)
    gate.whenEmpty(() => notified.push("empty"))
    gate.release(request)
    assert.strictEqual(entering([undefined]), 0)
    assert.deepStrictEqual(notified, [])
    gate.release(request)
    assert.deepStrictEqual(notified, ["empty"])
    assert.strictEqual(gate.size, 0)
    gate.extend(request)
    gate.release(request)
    assert.strictEqual(gate.size, 0, "a request that has ended is not counted again")
    assert.strictEqual(entering([undefined]), 1)
  })

  it("counts a request whose handler runs twice once, until both have ended", () => {
    const { gate, enter, entering } = gateOf({ max: 2, maxPerKey: 2 })
    const request = enter(undefined) ?? assert.fail()
    assert.isTrue(gate.admit(request, undefined))
    assert.strictEqual(gate.size, 1)
    gate.release(request)
    assert.strictEqual(gate.size, 1)
    gate.release(request)
    assert.strictEqual(gate.size, 0)
    assert.strictEqual(entering(times(3, undefined)), 2)
  })

  it("notifies every waiting caller once when it is empty", () => {
    const { gate, enter } = gateOf({ max: 2, maxPerKey: 2 })
    const notified: Array<string> = []
    const first = enter(undefined) ?? assert.fail()
    const second = enter(undefined) ?? assert.fail()
    for (const name of ["one", "other"]) gate.whenEmpty(() => notified.push(name))
    gate.release(first)
    gate.release(first)
    assert.deepStrictEqual(notified, [])
    gate.release(second)
    gate.release(enter(undefined) ?? assert.fail())
    assert.deepStrictEqual(notified, ["one", "other"])
    gate.whenEmpty(() => notified.push("at once"))
    assert.lengthOf(notified, 3)
  })
})

describe("the bound of a key", () => {
  it("counts eight spellings of the header as one key", () => {
    const { authenticate, entering } = gateOf({ max: 100, maxPerKey: 2 })
    authenticate(good)
    assert.strictEqual(entering(spellings(good)), 2)
    assert.strictEqual(entering(spellings(other)), 2)
  })

  it("is shared by all headers without a key", () => {
    const { entering } = gateOf({ max: 100, maxPerKey: 3 })
    const headers = [
      undefined,
      "",
      "Bearer",
      "Bearer nonsense",
      `Bearer ${good} ${good}`,
      `Bearer ${good.slice(0, -1)}`,
      `Bearer ${good}x`,
      `Basic ${good}`,
      good,
      `Bearer ${good.replace("csk_live_", "csk_test_")}`,
    ]
    assert.strictEqual(entering(headers), 3)
  })

  it("is shared by all keys that have not authenticated", () => {
    const { entering } = gateOf({ max: 100, maxPerKey: 3 })
    const draw = seededBytes(1)
    const keys = Array.from(
      { length: 50 },
      () => ApiKey.encode("live", draw(ApiKey.randomBytes))?.text,
    )
    assert.strictEqual(new Set(keys).size, 50)
    assert.strictEqual(entering(keys.map((key) => `Bearer ${key}`)), 3)
  })

  it("is not used up by unknown keys, nor by wrong keys under its own id", () => {
    const { authenticate, entering } = gateOf({ max: 100, maxPerKey: 2 })
    authenticate(good)
    const wrong = [..."abcdefgh"].map((letter) => keyText("goodgoodgoodgood", letter))
    // Alike up to the last letter of the secret.
    const alike = keyText("goodgoodgoodgood", `${"s".repeat(42)}t`)
    assert.strictEqual(entering([alike, ...wrong].map((key) => `Bearer ${key}`)), 2)
    assert.strictEqual(entering(times(3, `Bearer ${good}`)), 2)
  })

  it("starts with the first authenticated request, which frees a place for unknown keys", () => {
    const { gate, enter, entering } = gateOf({ max: 100, maxPerKey: 1 })
    const request = enter(`Bearer ${good}`) ?? assert.fail()
    assert.strictEqual(entering([`Bearer ${other}`]), 0)
    assert.isTrue(gate.authenticate(request))
    assert.strictEqual(entering([`Bearer ${other}`]), 1)
    assert.strictEqual(entering([`Bearer ${good}`]), 0)
    gate.release(request)
    assert.strictEqual(entering([`Bearer ${good}`]), 1)
  })

  it("applies to requests that came before their key was known", () => {
    const { gate, enter } = gateOf({ max: 100, maxPerKey: 2 })
    const before = [enter(`Bearer ${good}`), enter(`Bearer ${good}`)]
    const [first = assert.fail(), second = assert.fail()] = before
    assert.isTrue(gate.authenticate(first))
    assert.isDefined(enter(`Bearer ${good}`))
    assert.isFalse(gate.authenticate(second))
    gate.release(first)
    assert.isTrue(gate.authenticate(second))
    assert.isTrue(gate.authenticate(second))
  })

  it("ends when the key is refused, without an effect on admitted requests", () => {
    const { authenticate, gate, enter, entering } = gateOf({ max: 100, maxPerKey: 1 })
    authenticate(good)
    const inside = enter(`Bearer ${good}`) ?? assert.fail()
    gate.forget(inside)
    assert.strictEqual(gate.boundOf(`Bearer ${good}`), gate.boundOf(undefined))
    assert.strictEqual(entering([`Bearer ${good}`, `Bearer ${other}`]), 1)
    gate.release(inside)
    assert.strictEqual(gate.size, 1)
  })

  it("is not ended by a wrong key under the same id", () => {
    const { authenticate, gate, enter } = gateOf({ max: 100, maxPerKey: 1 })
    authenticate(good)
    gate.forget(enter(`Bearer ${keyText("goodgoodgoodgood", "w")}`) ?? assert.fail())
    assert.notStrictEqual(gate.boundOf(`Bearer ${good}`), gate.boundOf(undefined))
  })

  it("is forgotten for the least recently used key", () => {
    const { authenticate, gate } = gateOf({ max: 1, maxPerKey: 1 })
    const draw = seededBytes(2)
    const isKnown = (key: string) => gate.boundOf(`Bearer ${key}`) !== gate.boundOf(undefined)
    authenticate(good)
    authenticate(other)
    for (let index = 2; index < maxKnownKeys; index++) {
      authenticate(ApiKey.encode("live", draw(ApiKey.randomBytes))?.text ?? "")
    }
    authenticate(good)
    assert.deepStrictEqual([isKnown(good), isKnown(other)], [true, true])
    authenticate(keyText("onemoreonemoreon", "s"))
    assert.deepStrictEqual([isKnown(good), isKnown(other)], [true, false])
  })
})
