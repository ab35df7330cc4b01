import { assert, describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import * as TestCrypto from "../src/TestCrypto.ts"

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => new Uint8Array(array))

const run = <A, E>(effect: Effect.Effect<A, E, Digest.Digest | Mac.Mac>): A =>
  Effect.runSync(Effect.provide(effect, TestCrypto.layer()))

describe("TestCrypto, in one synchronous step", () => {
  it("computes the digest of Web Crypto", () =>
    fc.assert(
      fc.asyncProperty(bytes, async (data) => {
        const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", data))
        const digest = run(Digest.Digest.use((_) => _.digest(Digest.sha256, data)))
        assert.strictEqual(hex(digest), hex(expected))
      }),
    ))

  it("computes the HMAC of Web Crypto", () =>
    fc.assert(
      fc.asyncProperty(bytes, bytes, async (secret, data) => {
        fc.pre(secret.length > 0)
        const algorithm = { name: "HMAC", hash: "SHA-256" }
        const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"])
        const expected = new Uint8Array(await crypto.subtle.sign("HMAC", key, data))
        const signed = run(
          Effect.gen(function* () {
            const mac = yield* Mac.Mac
            return yield* mac.sign(yield* Mac.key(Mac.hmacSha256, secret), data)
          }),
        )
        assert.strictEqual(hex(signed), hex(expected))
      }),
    ))

  it.effect("supports no other algorithm", () =>
    Effect.gen(function* () {
      const digest = yield* Digest.Digest
      const mac = yield* Mac.Mac
      const key = yield* Mac.key(Mac.hmacSha512, new Uint8Array(3))
      for (const effect of [
        digest.digest(Digest.sha1, new Uint8Array()),
        mac.sign(key, new Uint8Array()),
      ]) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(effect)))
      }
    }).pipe(Effect.provide(TestCrypto.layer())),
  )
})
