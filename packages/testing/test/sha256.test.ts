import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { hmacSha256, sha256 } from "../src/internal/sha256.ts"

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => new Uint8Array(array))

describe("sha256", () => {
  it("is what Web Crypto computes", () =>
    fc.assert(
      fc.asyncProperty(bytes, async (data) => {
        const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", data))
        assert.strictEqual(hex(sha256(data)), hex(expected))
      }),
    ))

  it("keys its HMAC as Web Crypto does", () =>
    fc.assert(
      fc.asyncProperty(bytes, bytes, async (secret, data) => {
        fc.pre(secret.length > 0)
        const algorithm = { name: "HMAC", hash: "SHA-256" }
        const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"])
        const expected = new Uint8Array(await crypto.subtle.sign("HMAC", key, data))
        assert.strictEqual(hex(hmacSha256(secret, data)), hex(expected))
      }),
    ))
})
