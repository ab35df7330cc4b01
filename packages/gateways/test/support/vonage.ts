import type * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Redacted from "effect/Redacted"
import { createHash, createHmac, generateKeyPairSync } from "node:crypto"

export const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 })
export const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
/** A line of the key, which is as secret as all of it. */
export const pemLine = pem.split("\n")[1] ?? pem
export const signatureSecret = "a signature secret for the tests"
export const applicationId = "aaaaaaaa-bbbb-cccc-dddd-0123456789ab"
export const callbackUrl = "https://sms.example.com/callbacks/vonage"
export const uuid = "0a1b2c3d-0000-4000-8000-00000000000a"

const json = { "content-type": "application/json" }

export const taken = (
  fields: Readonly<Record<string, unknown>> = {},
): GatewaySuite.VendorAnswer => ({
  status: 202,
  headers: json,
  body: JSON.stringify({ message_uuid: uuid, ...fields }),
})

export const problem = (
  title: string | number,
  status: number,
  detail = "refused",
): GatewaySuite.VendorAnswer => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: JSON.stringify({
    type:
      typeof title === "number"
        ? `https://developer.vonage.com/api-errors/messages#${title}`
        : "https://developer.vonage.com/api-errors",
    title: typeof title === "number" ? "Refused" : title,
    detail,
    instance: "bf0ca0bf927b3b52e3cb03217e1a1ddf",
  }),
})

export const part = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url")

export interface Token {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly secret?: string
}

/** A request as Vonage signs it at a given time, except for the given changes. */
export const signedRequest = (
  body: string,
  atMillis: number,
  { claims, header, secret = signatureSecret }: Token = {},
): GatewaySuite.CallbackRequest => {
  const signed = [
    part({ alg: "HS256", typ: "JWT", ...header }),
    part({
      iat: Math.floor(atMillis / 1_000),
      jti: "c5ba8f24-1a14-4c10-bfdf-3fbe8ce511b5",
      iss: "Vonage",
      payload_hash: createHash("sha256").update(body).digest("hex"),
      api_key: "a1b2c3d4",
      application_id: applicationId,
      ...claims,
    }),
  ].join(".")
  const tag = createHmac("sha256", secret).update(signed).digest("base64url")
  return {
    method: "POST",
    url: new URL(callbackUrl),
    headers: { "content-type": "application/json", authorization: `Bearer ${signed}.${tag}` },
    body: new TextEncoder().encode(body),
  }
}

export const options = {
  auth: { applicationId, privateKey: Redacted.make(pem) },
  signatureSecret: Redacted.make(signatureSecret),
} as const
