/** Another service accepts a verified number by a signed proof. */
import assert from "node:assert/strict"
import { generateKeyPairSync } from "node:crypto"
import { createCountersign, developmentGateway } from "countersign"
import { createProofVerifier } from "countersign/proofs"

// In production: openssl genpkey -algorithm ed25519, kept with the secret in a secret store.
const { privateKey } = generateKeyPairSync("ed25519")
const key = String(privateKey.export({ format: "pem", type: "pkcs8" }))
const issuer = "https://sms.example.com"
const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  gateways: [gateway],
  verifications: { proofs: { keys: [key], issuer } },
})
const { verifications } = countersign

const phoneNumber = "+8801712345678"
const { requestId } = await verifications.send({ phoneNumber })
const code = gateway.latestCode(phoneNumber)
const { proof } = await verifications.verify({ requestId, code, audience: "payments" })

// In the other service, which gives the verifier `jwksUrl: "https://sms.example.com/api/v2/jwks.json"`.
const jwks = await (await countersign.fetch(new Request(`${issuer}/api/v2/jwks.json`))).json()
const { verify } = createProofVerifier({ jwks, issuer, audience: "payments" })
assert.equal((await verify(proof ?? "")).phoneNumber, phoneNumber)
await assert.rejects(verify("anything"), { message: "This is not a proof" })
