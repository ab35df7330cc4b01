import { OrganizationId, RequestId } from "@countersign/core/domain/values/Ids"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { type ProofClaims, Proofs } from "@countersign/core/ports/Proofs"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { generateKeyPairSync } from "node:crypto"
import { inspect } from "node:util"
import { assert, describe } from "@effect/vitest"
import type { PrivateKey } from "../src/ProofOptions.ts"
import * as ProofSigner from "../src/ProofSigner.ts"
import { createProofVerifier } from "../src/ProofVerifier.ts"
import { newPair, published, read } from "./support/tokens.ts"
import { test } from "../../../test/support/testsOver.ts"

const claims: ProofClaims = {
  organization: OrganizationId("acme"),
  requestId: RequestId("req_1"),
  phoneNumber: Result.getOrThrow(PhoneNumber.parse("+8801712345678", "required")),
  purpose: "sign-in",
  metadata: null,
  audience: undefined,
  verifiedAt: 1_700_000_000_999,
  consumedAt: 1_700_000_060_999,
}

type Options = Omit<ProofSigner.Options, "keys">

const make = (keys: ReadonlyArray<PrivateKey>, options: Options = {}) =>
  ProofSigner.make({ ...options, keys: keys.map((key) => Redacted.make(key)) })

const sign = Effect.fnUntraced(function* (
  key: PrivateKey,
  given: Partial<ProofClaims> = {},
  options: Options = {},
) {
  const { jwks, sign } = yield* make([key], options)
  const token = Redacted.value(yield* sign({ ...claims, ...given }))
  const [publicKey] = jwks.keys
  assert(publicKey !== undefined)
  return { token, ...read(token, publicKey) }
})

const isAnything = <A>(_: unknown): _ is A => true

/** A value as JavaScript passes it. */
const untyped = (value: unknown): PrivateKey => {
  if (isAnything<PrivateKey>(value)) return value
  throw new TypeError("unreachable")
}

describe("a proof", () => {
  test.effect("is a JWT, signed with Ed25519, with these claims", function* () {
    const { header, payload } = yield* sign(published.jwk)
    assert.deepStrictEqual(header, {
      alg: "EdDSA",
      typ: "verification-proof+jwt",
      kid: published.kid,
    })
    assert.deepStrictEqual(payload, {
      iss: "countersign",
      aud: "countersign",
      sub: "+8801712345678",
      org: "acme",
      request_id: "req_1",
      purpose: "sign-in",
      // Seconds that have begun.
      verified_at: 1_700_000_000,
      iat: 1_700_000_060,
      exp: 1_700_000_360,
      jti: "req_1",
    })
  })

  test.effect("names the issuer, the audience and the lifetime of the options", function* () {
    const options = {
      issuer: "https://acme.example",
      audience: "payments",
      lifetime: "10 seconds",
    } as const
    const { payload } = yield* sign(published.jwk, { purpose: null }, options)
    assert.deepInclude(payload, {
      iss: "https://acme.example",
      aud: "payments",
      purpose: null,
      exp: 1_700_000_070,
    })
  })

  test.effect("has the metadata of its request, the longest as well", function* () {
    const { payload } = yield* sign(published.jwk, { metadata: '{"account":"a-17","of":[1]}' })
    assert.deepInclude(payload, { metadata: { account: "a-17", of: [1] } })
    const longest = { text: "x".repeat(1_024 - '{"text":""}'.length) }
    const name = "\u0985".repeat(ProofSigner.maxNameLength)
    const { jwks, sign: signOne } = yield* make([published.jwk], { issuer: name })
    const proof = yield* signOne({
      ...claims,
      metadata: JSON.stringify(longest),
      purpose: "x".repeat(32),
      audience: name,
    })
    const verifier = createProofVerifier({ jwks, issuer: name, audience: name })
    const now = new Date(claims.consumedAt)
    const { metadata } = yield* Effect.promise(() =>
      verifier.verify(Redacted.value(proof), { now }),
    )
    assert.deepStrictEqual(metadata, longest)
  })

  test.effect("is for the audience that the consumer names, before any default", function* () {
    const named = yield* sign(published.jwk, { audience: "orders" }, { audience: "payments" })
    assert.deepInclude(named.payload, { aud: "orders" })
    const other = yield* sign(published.jwk, {}, { issuer: "acme" })
    assert.deepInclude(other.payload, { aud: "acme" })
  })

  test.effect("is the same text for the same claims and key, also after a restart", function* () {
    const { pem } = newPair()
    const tokens = yield* Effect.forEach([pem, pem, pem], (key) => sign(key))
    assert.lengthOf(new Set(tokens.map(({ token }) => token)), 1)
    const other = yield* sign(pem, { requestId: RequestId("req_2") })
    assert.notStrictEqual(other.token, tokens[0]?.token)
  })

  test.effect("is not shown by a log", function* () {
    const signer = yield* make([published.jwk])
    assert.strictEqual(inspect(yield* signer.sign(claims)), "<redacted:proof>")
  })
})

describe("a key", () => {
  const { pem, privateKey, publicJwk } = newPair()
  const jwk = privateKey.export({ format: "jwk" })

  test.effect.each([
    ["PEM", pem],
    ["PEM with escaped line breaks", pem.replaceAll("\n", "\\n")],
    ["PEM with Windows line breaks and spaces around", `\n  ${pem.replaceAll("\n", "\r\n")}  `],
    ["a JWK", jwk],
    ["a JWK with other members", { ...jwk, kid: "own", alg: "Ed25519", key_ops: ["sign"] }],
    ["a JWK as JSON", ` ${JSON.stringify(jwk, null, 2)}\n`],
  ] as const)("may be %s", function* ([, key]) {
    const signer = yield* make([key])
    assert.deepStrictEqual(signer.jwks, { keys: [publicJwk] })
  })

  test.effect("signs if it is the first, and is published in any place", function* () {
    const next = newPair()
    const before = yield* make([pem, next.pem])
    const after = yield* make([next.pem, pem])
    assert.deepStrictEqual(before.jwks, { keys: [publicJwk, next.publicJwk] })
    assert.deepStrictEqual(after.jwks, { keys: [next.publicJwk, publicJwk] })
    read(Redacted.value(yield* before.sign(claims)), publicJwk)
    read(Redacted.value(yield* after.sign(claims)), next.publicJwk)
  })
})

describe("the layer", () => {
  test.effect("provides the signer, and the default is undefined", function* () {
    assert.isUndefined(yield* Proofs)
    const keys = [Redacted.make(published.jwk)]
    const signer = yield* Effect.provide(Effect.service(Proofs), ProofSigner.layer({ keys }))
    assert.deepStrictEqual(
      signer?.jwks.keys.map(({ kid }) => kid),
      [published.kid],
    )
  })
})

const pemOf = (type: "private" | "public", pair: ReturnType<typeof generateKeyPairSync>): string =>
  type === "private"
    ? String(pair.privateKey.export({ format: "pem", type: "pkcs8" }))
    : String(pair.publicKey.export({ format: "pem", type: "spki" }))

describe("an option that cannot be used fails the start", () => {
  const { jwk } = published
  const other = newPair()
  const elliptic = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const encrypted = other.privateKey.export({
    format: "pem",
    type: "pkcs8",
    cipher: "aes-256-cbc",
    passphrase: "hunter2",
  })

  const unusable: ReadonlyArray<readonly [string, unknown]> = [
    ["no text", ""],
    ["other text", "hunter2 hunter2 hunter2"],
    ["JSON that breaks off", JSON.stringify(jwk).slice(0, -1)],
    ["JSON of something else", "[]"],
    ["a number", 5],
    ["nothing", undefined],
    ["null", null],
    ["a public key in PEM", pemOf("public", generateKeyPairSync("ed25519"))],
    ["a public key as a JWK", { ...jwk, d: undefined }],
    ["a JWK of two keys", { ...jwk, x: other.publicJwk.x }],
    ["a JWK with a short key", { ...jwk, d: "hunter2" }],
    ["a JWK of another curve", { ...jwk, crv: "X25519" }],
    ["an encrypted key", String(encrypted)],
    ["PEM without its end", other.pem.slice(0, 60)],
    ["RSA", pemOf("private", generateKeyPairSync("rsa", { modulusLength: 2_048 }))],
    ["P-256", pemOf("private", elliptic)],
    ["P-256 as a JWK", elliptic.privateKey.export({ format: "jwk" })],
    ["Ed448", pemOf("private", generateKeyPairSync("ed448"))],
    ["X25519", pemOf("private", generateKeyPairSync("x25519"))],
    ["a symmetric key", { kty: "oct", k: jwk.d }],
  ]

  test.effect.each(unusable)("as a key, %s", function* ([, key]) {
    const error = yield* Effect.flip(make([other.pem, untyped(key)]))
    assert.strictEqual(error._tag, "InvalidProofOptions")
    assert.strictEqual(
      error.message,
      "key 2 is not an Ed25519 private key, in PEM (PKCS #8) or as a JWK",
    )
    // No cause, which could quote the key.
    assert.notMatch(inspect(error, { depth: null }), /hunter2|nWGxne|PRIVATE KEY/)
  })

  const names = "must have 1 to 200 characters"
  const lifetimes = "lifetime must be between 10 seconds and 1 hour"
  const eleven = Array.from({ length: 11 }, () => jwk)

  test.effect.each<readonly [string, ReadonlyArray<PrivateKey>, Options]>([
    ["there is no key", [], {}],
    ["there are more than 10 keys", eleven, {}],
    ["key 3 is the same as key 2", [other.pem, jwk, JSON.stringify(jwk)], {}],
    [`issuer ${names}`, [jwk], { issuer: "" }],
    [`issuer ${names}`, [jwk], { issuer: "x".repeat(201) }],
    [`audience ${names}`, [jwk], { audience: "" }],
    [`audience ${names}`, [jwk], { audience: "x".repeat(201) }],
    [lifetimes, [jwk], { lifetime: "9 seconds" }],
    [lifetimes, [jwk], { lifetime: "3601 seconds" }],
    ["lifetime must be whole seconds", [jwk], { lifetime: "10.5 seconds" }],
  ])("with its reason: %s", function* ([message, keys, options]) {
    const error = yield* Effect.flip(make(keys, options))
    assert.strictEqual(error.message, message)
  })

  test.effect("but the bounds themselves can be used", function* () {
    const name = "x".repeat(200)
    const keys = Array.from({ length: 10 }, () => newPair().pem)
    for (const lifetime of ["10 seconds", "1 hour"] as const) {
      const signer = yield* make(keys, { issuer: name, audience: name, lifetime })
      assert.lengthOf(signer.jwks.keys, 10)
    }
  })
})
