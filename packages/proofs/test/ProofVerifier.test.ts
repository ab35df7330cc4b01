import { createHmac, type KeyObject } from "node:crypto"
import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { generateKeyPair, SignJWT } from "jose"
import {
  createProofVerifier,
  type Expected,
  ProofError,
  type ProofErrorCode,
  type ProofVerifierOptions,
} from "../src/ProofVerifier.ts"
import { headerOf, newPair, payloadOf, segment, tokenOf } from "./support/tokens.ts"

const signer = newPair()
const other = newPair()
const jwks = { keys: [signer.publicJwk, other.publicJwk] }

const issuer = "https://acme.example"
const audience = "payments"

const issuedAt = 1_700_000_060

const payload = payloadOf({
  iss: issuer,
  iat: issuedAt,
  exp: issuedAt + 300,
  jti: "req_1",
})

const token = (claims: object = {}, header: object = {}, key: KeyObject = signer.privateKey) =>
  tokenOf({ ...headerOf(signer), ...header }, { ...payload, ...claims }, key)

const now = new Date(issuedAt * 1_000)
const { verify } = createProofVerifier({ jwks, issuer, audience })

const accepted = {
  phoneNumber: "+8801712345678",
  organization: "acme",
  requestId: "req_1",
  purpose: "sign-in",
  metadata: null,
  verifiedAt: new Date(1_700_000_000_000),
}

const rejection = (
  proof: string,
  expected: Expected = {},
  verifier = { verify },
): Promise<ProofError> =>
  verifier.verify(proof, { now, ...expected }).then(
    () => assert.fail("the proof was accepted"),
    (error: unknown) => {
      assert.instanceOf(error, ProofError)
      return error
    },
  )

const assertRejected = async (
  code: ProofErrorCode,
  ...args: Parameters<typeof rejection>
): Promise<void> => {
  const error = await rejection(...args)
  assert.strictEqual(error.code, code, `${error.stack}`)
  // Neither the token nor its claims are for logs.
  assert.notMatch(inspect(error, { depth: null }), /8801712345678|eyJ/)
}

describe("a proof is accepted", () => {
  it.each(["EdDSA", "Ed25519"])("with the algorithm %s, and gives its facts", async (alg) => {
    assert.deepStrictEqual(await verify(token({}, { alg }), { now }), accepted)
  })

  it("if jose has signed it", async () => {
    const { privateKey, publicKey } = await generateKeyPair("Ed25519", { extractable: true })
    const { x = "" } = await crypto.subtle.exportKey("jwk", publicKey)
    const keys = [{ kty: "OKP", crv: "Ed25519", kid: "1", x }]
    const verifier = createProofVerifier({ jwks: { keys }, issuer, audience })
    const signed = await new SignJWT(payload)
      .setProtectedHeader({ alg: "Ed25519", typ: "verification-proof+jwt", kid: "1" })
      .sign(privateKey)
    assert.deepStrictEqual(await verifier.verify(signed, { now }), accepted)
  })

  it("by each of the published keys", async () => {
    const signed = tokenOf(headerOf(other), payload, other.privateKey)
    assert.deepStrictEqual(await verify(signed, { now }), accepted)
  })

  const metadata = { account: "a-17", items: [1, { id: null }] }
  it.each<readonly [string, object, Expected, object]>([
    ["for one of several audiences", { aud: ["orders", audience] }, {}, {}],
    ["as expected", {}, { purpose: "sign-in", requestId: "req_1" }, {}],
    ["with the metadata of its request", { metadata }, {}, { metadata }],
    ["without a purpose, if none is expected", { purpose: null }, {}, { purpose: null }],
  ])("%s", async (_, claims, expected, facts) => {
    const proof = await verify(token(claims), { now, ...expected })
    assert.deepStrictEqual(proof, { ...accepted, ...facts })
  })

  it("by the clock of the system", async () => {
    const seconds = Math.floor(new Date().getTime() / 1_000)
    assert.deepStrictEqual(await verify(token({ exp: seconds + 3_600 })), accepted)
    const old = verify(token({ exp: seconds - 1 })).catch((error: unknown) => error)
    assert.deepInclude(await old, { code: "expired" })
  })
})

describe("the lifetime of a proof", () => {
  const expiresAt = payload.exp * 1_000

  it.each([
    // The clock of the signer may be ahead.
    ["before it was issued", issuedAt * 1_000 - 60_000, undefined],
    ["when it was issued", issuedAt * 1_000, undefined],
    ["in its last second", expiresAt - 1_000, undefined],
    ["in its last millisecond", expiresAt - 1, undefined],
    ["at its end", expiresAt, "expired"],
    ["after its end", expiresAt + 1, "expired"],
  ])("%s", async (_name, at, code) => {
    const result = await verify(token(), { now: new Date(at) }).then(
      () => undefined,
      (error: unknown) => (error instanceof ProofError ? error.code : error),
    )
    assert.strictEqual(result, code)
  })

  it("is not compared with a date that is invalid", async () => {
    const error = await verify(token(), { now: new Date(NaN) }).catch((cause: unknown) => cause)
    assert.instanceOf(error, TypeError)
  })
})

/** A token whose HMAC has the public key for its secret. */
const symmetric = (): string => {
  const signed = `${segment({ ...headerOf(signer), alg: "HS256" })}.${segment(payload)}`
  const secret = Buffer.from(signer.publicJwk.x, "base64url")
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

describe("a proof is rejected", () => {
  it.each([
    ["of another key under the same id", token({}, {}, newPair().privateKey), "bad_signature"],
    ["of another published key", token({}, {}, other.privateKey), "bad_signature"],
    ["of an unknown key", token({}, { kid: "unknown" }), "unknown_key"],
    ["that leaves the choice among keys", token({}, { kid: undefined }), "unknown_key"],
    [
      "without a signature",
      `${segment({ alg: "none", typ: "verification-proof+jwt" })}.${segment(payload)}.`,
      "bad_signature",
    ],
    ["with an empty signature", token().replace(/[^.]*$/, ""), "bad_signature"],
    ["with the HMAC of the public key", symmetric(), "bad_signature"],
    ["of the algorithm ES256", token({}, { alg: "ES256" }), "bad_signature"],
    ["of another type under the same key", token({}, { typ: "JWT" }), "malformed"],
    ["of the type of another standard", token({}, { typ: "at+jwt" }), "malformed"],
    ["without a type", token({}, { typ: undefined }), "malformed"],
    ["with a critical header", token({}, { crit: ["own"], own: 1 }), "malformed"],
    ["of another issuer", token({ iss: "https://other.example" }), "wrong_issuer"],
    ["without an issuer", token({ iss: undefined }), "wrong_issuer"],
    ["for another audience", token({ aud: "orders" }), "wrong_audience"],
    ["for other audiences", token({ aud: ["orders"] }), "wrong_audience"],
    ["without an audience", token({ aud: undefined }), "wrong_audience"],
    ["that never expires", token({ exp: undefined }), "malformed"],
    ["that expires at a text", token({ exp: "never" }), "malformed"],
    ["without a phone number", token({ sub: undefined }), "malformed"],
    ["without an organization", token({ org: undefined }), "malformed"],
    ["without a request", token({ request_id: undefined }), "malformed"],
    ["without a claim for the purpose", token({ purpose: undefined }), "malformed"],
    ["with a purpose that is not a text", token({ purpose: 5 }), "malformed"],
    ["with metadata that are a list", token({ metadata: [] }), "malformed"],
    ["with metadata that are a text", token({ metadata: "{}" }), "malformed"],
    ["without the time of the verification", token({ verified_at: undefined }), "malformed"],
    ["with a time that is not a number", token({ verified_at: "1" }), "malformed"],
    ["that is empty", "", "malformed"],
    ["of two parts", token().split(".").slice(0, 2).join("."), "malformed"],
    ["of other text", "not.a.proof", "malformed"],
    ["that is too long", token({ org: "x".repeat(8_192) }), "malformed"],
  ] as const)("%s", (_name, proof, code) => assertRejected(code, proof))

  it("that is not a text", () => assertRejected("malformed", JSON.parse("5")))

  it("for another purpose", async () => {
    await assertRejected("wrong_purpose", token(), { purpose: "payment" })
    await assertRejected("wrong_purpose", token({ purpose: null }), { purpose: "payment" })
  })

  it("about another request", () =>
    assertRejected("wrong_request", token(), { requestId: "req_2" }))

  it("after a change of any character", async () => {
    const proof = token()
    const codes = new Set<string>()
    for (const [index, character] of [...proof].entries()) {
      // The last character of a part has unused bits. A dot is no character of a part.
      if (character === "." || /^(?:\.|$)/.test(proof.slice(index + 1))) continue
      const changed = `${proof.slice(0, index)}${character === "A" ? "B" : "A"}${proof.slice(index + 1)}`
      codes.add((await rejection(changed)).code)
    }
    // A changed header may name no algorithm, or another key.
    assert.includeMembers(["bad_signature", "malformed", "unknown_key"], [...codes])
    assert.include([...codes], "bad_signature")
  })
})

describe("createProofVerifier throws a TypeError", () => {
  const secret = "https://user:hunter2@acme.example/jwks.json"
  it.each([
    [{ jwks, audience }, "issuer has to be a text that is not empty"],
    [{ jwks, issuer, audience: "" }, "audience has to be a text that is not empty"],
    [{ jwks, issuer, audience: [audience] }, "audience has to be a text that is not empty"],
    [{ issuer, audience }, "jwks or jwksUrl has to be set, and not both"],
    [{ jwks, jwksUrl: secret, issuer, audience }, "jwks or jwksUrl has to be set, and not both"],
    [{ jwks: [], issuer, audience }, "jwks has to be a JSON Web Key Set"],
    [{ jwks: { keys: {} }, issuer, audience }, "jwks has to be a JSON Web Key Set"],
    [
      { jwksUrl: secret.replace("https", "ftp"), issuer, audience },
      "jwksUrl has to begin with https:// or http://",
    ],
    [{ jwksUrl: "/jwks.json", issuer, audience }, "jwksUrl has to begin with https:// or http://"],
  ])("for %j", (options, message) => {
    const given: ProofVerifierOptions = JSON.parse(JSON.stringify(options))
    assert.throws(() => createProofVerifier(given), TypeError, `createProofVerifier: ${message}`)
  })
})

describe("an unknown name", () => {
  it("is refused, because a misspelt purpose would accept a proof for any purpose", async () => {
    const misspelt = { now, purpos: "pay" }
    const error: unknown = await verify(token(), misspelt).catch((thrown: unknown) => thrown)
    assert.instanceOf(error, TypeError)
    assert.strictEqual(
      error.message,
      "verify: purpos is not an option; the options are purpose, requestId, now",
    )
    const options = { jwks, issuer, audience, audiense: "other" }
    assert.throws(
      () => createProofVerifier(options),
      /^createProofVerifier: audiense is not an option/,
    )
  })
})
