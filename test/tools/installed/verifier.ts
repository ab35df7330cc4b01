/**
 * A service that verifies proofs of another one, without the engine and without Effect. The proofs are made
 * here by hand.
 */
import { createProofVerifier, ProofError } from "@countersign/proofs/ProofVerifier"
import { generateKeyPairSync, sign } from "node:crypto"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1" }] }
const { verify } = createProofVerifier({ jwks, issuer: "countersign", audience: "payments" })

const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const now = Math.floor(Date.now() / 1_000)
const signed = [
  segment({ alg: "EdDSA", typ: "verification-proof+jwt", kid: "1" }),
  segment({
    iss: "countersign",
    aud: "payments",
    sub: "+8801712345678",
    org: "acme",
    request_id: "req_1",
    purpose: null,
    verified_at: now,
    exp: now + 600,
  }),
].join(".")
const signature = sign(null, Buffer.from(signed), privateKey)

console.log((await verify(`${signed}.${signature.toString("base64url")}`)).phoneNumber)
await verify(`${signed}.${signature.fill(0).toString("base64url")}`).catch((error: unknown) => {
  console.log(error instanceof ProofError ? error.code : error)
})
