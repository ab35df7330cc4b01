/**
 * A verification over HTTP, from the code to the proof that another service verifies with the published keys.
 */
import { createClient } from "@countersign/client"
import { createCountersign, developmentGateway } from "countersign"
import { createProofVerifier } from "countersign/proofs"
import { generateKeyPairSync } from "node:crypto"
import { assert, it } from "vitest"
import { dataOf } from "./results.ts"

const newKey = (): string =>
  String(generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }))

it("the proof of a consumption is verified with the keys at /jwks.json", async () => {
  const gateway = developmentGateway()
  await using engine = await createCountersign({
    database: "memory",
    secret: "a secret of at least 32 characters, for this test",
    gateways: { sms: gateway },
    verifications: { proofs: { keys: [newKey(), newKey()] } },
    log: () => {},
  })
  const { key } = await engine.apiKeys.create({ name: "shop" })
  const baseUrl = "http://countersign.test/api/v2"
  const fetch = (url: string | URL | Request, init?: RequestInit) =>
    engine.fetch(new Request(url, init))
  const { verifications } = createClient({ baseUrl, apiKey: key, fetch })
  const phoneNumber = "+8801712345678"
  const { requestId } = dataOf(await verifications.send({ phoneNumber, purpose: "checkout" }))
  const code = gateway.messages(phoneNumber)[0]?.code ?? ""
  dataOf(await verifications.check({ phoneNumber, code, purpose: "checkout" }))
  const call = { requestId, audience: "warehouse", idempotencyKey: "checkout 17" }
  const consumed = dataOf(await verifications.consume(call))
  const token = consumed.proof ?? ""
  const repeated = dataOf(await verifications.consume(call))
  assert.strictEqual(repeated.proof, token)

  const issuer = "countersign"
  const verifier = (audience: string) =>
    createProofVerifier({ jwksUrl: `${baseUrl}/jwks.json`, fetch, issuer, audience })
  const proof = await verifier("warehouse").verify(token, { purpose: "checkout", requestId })
  assert.deepInclude(proof, { phoneNumber, requestId, purpose: "checkout" })
  assert.strictEqual(proof.organization, "default")
  const failures = [
    verifier("shop").verify(token),
    verifier("warehouse").verify(token, { purpose: "login" }),
    verifier("warehouse").verify(token, { requestId: `${requestId}x` }),
  ]
  const codes = await Promise.all(
    failures.map((failure) =>
      failure.then(
        () => "verified",
        ({ code }) => code,
      ),
    ),
  )
  assert.deepStrictEqual(codes, ["wrong_audience", "wrong_purpose", "wrong_request"])
})
