import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as BrowserTokens from "../../src/engine/BrowserTokens.ts"
import * as CodeSecrets from "../../src/engine/CodeSecrets.ts"
import { effectTest } from "../support/engineTest.ts"

const secretOf = (name: string): Redacted.Redacted => Redacted.make(name.padEnd(32, "x"))

/** The tokens of a node with these secrets. */
const tokensOf = (first: string, ...others: ReadonlyArray<string>) =>
  BrowserTokens.BrowserTokens.pipe(
    Effect.provide(
      BrowserTokens.layer.pipe(
        Layer.provide(CodeSecrets.layer(secretOf(first), ...others.map(secretOf))),
        Layer.provide(TestCrypto.layer()),
      ),
    ),
  )

const text = "+8801712345678 π"

describe("BrowserTokens", () => {
  effectTest("are read on every node with the secret, for their own use", function* () {
    const tokens = yield* tokensOf("k1")
    const token = yield* tokens.sign("login", text)
    assert.match(token, /^1\.[\w-]+\.[\w-]{43}$/)
    assert.strictEqual(yield* (yield* tokensOf("k1")).read("login", token), text)
    assert.isUndefined(yield* tokens.read("payment", token))
  })

  effectTest("do not let a use and its text run into each other", function* () {
    const tokens = yield* tokensOf("k1")
    const [, , tag = ""] = (yield* tokens.sign("login", "a\nb")).split(".")
    assert.isUndefined(yield* tokens.read("login\na", `1.${Base64Url.encode("b")}.${tag}`))
  })

  effectTest("outlive a rotation of the secret until the old one is removed", function* () {
    const token = yield* (yield* tokensOf("k1")).sign("login", text)
    assert.strictEqual(yield* (yield* tokensOf("k2", "k1")).read("login", token), text)
    assert.isUndefined(yield* (yield* tokensOf("k2")).read("login", token))
  })

  effectTest("are refused when one character has changed, or a part is missing", function* () {
    const tokens = yield* tokensOf("k1")
    const token = yield* tokens.sign("login", text)
    const changed = Array.from(token, (letter, at) =>
      [token.slice(0, at), letter === "A" ? "B" : "A", token.slice(at + 1)].join(""),
    )
    // The last character of a part has bits that no byte has.
    const [version = "", body = "", tag = ""] = token.split(".")
    const ends = [version.length + body.length, token.length - 1]
    const others = ["", ".", "1", "..", `1.${body}`, `${token}.`, `2.${body}.${tag}`, "1.%.%"]
    for (const one of [...changed.filter((_, at) => !ends.includes(at)), ...others]) {
      assert.isUndefined(yield* tokens.read("login", one), one)
    }
  })

  effectTest("have short digests, the one of the current secret first", function* () {
    const [old = ""] = yield* (yield* tokensOf("k1")).digests("login", text)
    assert.match(old, /^[\w-]{11}$/)
    const after = yield* (yield* tokensOf("k2", "k1")).digests("login", text)
    assert.strictEqual(after.length, 2)
    assert.strictEqual(after[1], old)
    assert.notInclude(yield* (yield* tokensOf("k1")).digests("payment", text), old)
  })
})
