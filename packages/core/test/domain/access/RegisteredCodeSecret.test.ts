import { assert, describe, it } from "vitest"
import * as RegisteredCodeSecret from "../../../src/domain/access/RegisteredCodeSecret.ts"

const now = RegisteredCodeSecret.inUseMillis * 2
const secret = (id: string, age: number): RegisteredCodeSecret.RegisteredCodeSecret => ({
  id,
  usedAt: now - age,
})

const { inUseMillis } = RegisteredCodeSecret
const newest = secret("newest", inUseMillis)
const old = secret("old", inUseMillis + 1)
const recent = [secret("a", 5), secret("b", inUseMillis - 1), newest]

describe("secrets in use", () => {
  it("are the newest, however old, and those of the last 31 days", () => {
    assert.deepStrictEqual(RegisteredCodeSecret.inUse([old, newest], now), [newest])
    assert.deepStrictEqual(RegisteredCodeSecret.inUse(recent, now), recent.slice(0, 2))
    assert.deepStrictEqual(RegisteredCodeSecret.inUse([], now), [])
  })
})

describe("a process may use a database", () => {
  it.each([
    ["with the only secret", ["newest"], [old, newest], true],
    ["with one of several", ["x", "b"], recent, true],
    ["without a secret in use", ["old"], [old, newest], false],
    ["without a known secret", ["x"], recent, false],
    ["that has no secret yet", ["x"], [], true],
  ])("%s: %4$s", (_, own, registered, expected) => {
    assert.strictEqual(RegisteredCodeSecret.fits(own, registered, now), expected)
  })
})
