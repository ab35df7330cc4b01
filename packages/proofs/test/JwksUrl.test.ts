/**
 * A verifier reads the public keys from a URL: how often, and what follows when it cannot.
 */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { createProofVerifier, ProofError } from "../src/ProofVerifier.ts"
import { headerOf, newPair, type Pair, payloadOf, tokenOf } from "./support/tokens.ts"

const issuer = "countersign"
const audience = "payments"
const jwksUrl = "https://acme.example/api/v2/jwks.json"
const start = 1_700_000_000_000

const signedBy = (pair: Pair): string => {
  const payload = payloadOf({ iss: issuer, exp: start / 1_000 + 3_600 })
  return tokenOf(headerOf(pair), payload, pair.privateKey)
}

const keySet = (...pairs: ReadonlyArray<Pair>): Response =>
  Response.json({ keys: pairs.map(({ publicJwk }) => publicJwk) })

/** A verifier whose fetches are answered by `answer`, and the URLs that it fetches. */
const verifierOf = (answer: () => Response | Promise<Response>) => {
  const fetched: Array<string> = []
  const verifier = createProofVerifier({
    jwksUrl,
    issuer,
    audience,
    fetch: async (url) => {
      fetched.push(url)
      return answer()
    },
  })
  const outcome = (token: string): Promise<string> =>
    verifier.verify(token).then(
      ({ requestId }) => requestId,
      (error: unknown) => (error instanceof ProofError ? error.code : String(error)),
    )
  return { fetched, outcome }
}

// The cache of jose reads the clock of the system.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: start }))
afterEach(() => void vi.useRealTimers())

const pass = (millis: number): void => void vi.setSystemTime(Date.now() + millis)

describe("the public keys", () => {
  it("are fetched with the first proof, and again after ten minutes", async () => {
    const pair = newPair()
    const { fetched, outcome } = verifierOf(() => keySet(pair))
    assert.deepStrictEqual(fetched, [])
    const first = await Promise.all([outcome(signedBy(pair)), outcome(signedBy(pair))])
    assert.deepStrictEqual(first, ["req_1", "req_1"])
    assert.deepStrictEqual(fetched, [jwksUrl])
    pass(599_999)
    assert.strictEqual(await outcome(signedBy(pair)), "req_1")
    assert.lengthOf(fetched, 1)
    pass(1)
    assert.strictEqual(await outcome(signedBy(pair)), "req_1")
    assert.lengthOf(fetched, 2)
  })

  it("may change: a proof of a new key fetches them, at most every 30 seconds", async () => {
    const [old, next] = [newPair(), newPair()]
    let answer = () => keySet(old)
    const { fetched, outcome } = verifierOf(() => answer())
    assert.strictEqual(await outcome(signedBy(old)), "req_1")
    answer = () => keySet(next, old)
    pass(29_999)
    assert.strictEqual(await outcome(signedBy(next)), "unknown_key")
    assert.lengthOf(fetched, 1)
    pass(1)
    assert.strictEqual(await outcome(signedBy(next)), "req_1")
    assert.strictEqual(await outcome(signedBy(old)), "req_1")
    assert.lengthOf(fetched, 2)
  })

  it("verify no proof of a removed key, once they are fetched again", async () => {
    const [old, next] = [newPair(), newPair()]
    let answer = () => keySet(old)
    const { outcome } = verifierOf(() => answer())
    assert.strictEqual(await outcome(signedBy(old)), "req_1")
    answer = () => keySet(next)
    pass(600_000)
    assert.strictEqual(await outcome(signedBy(old)), "unknown_key")
  })

  it.each<readonly [string, (pair: Pair) => Response | Promise<Response>]>([
    ["a status other than 200", () => new Response(null, { status: 503 })],
    ["a redirect", () => Response.redirect("https://other.example/jwks.json")],
    ["a page", () => new Response("<h1>Hello</h1>")],
    ["other JSON", () => Response.json({ error: "Not found" })],
    ["no connection", () => Promise.reject(new TypeError("fetch failed"))],
    [
      "private keys",
      ({ privateKey, publicJwk: { kid } }) =>
        Response.json({ keys: [{ ...privateKey.export({ format: "jwk" }), kid }] }),
    ],
  ])("may be unavailable for a time: %s", async (_name, broken) => {
    const pair = newPair()
    let answer = () => broken(pair)
    const { outcome } = verifierOf(() => answer())
    assert.strictEqual(await outcome(signedBy(pair)), "keys_unavailable")
    answer = () => keySet(pair)
    pass(600_000)
    assert.strictEqual(await outcome(signedBy(pair)), "req_1")
  })
})
