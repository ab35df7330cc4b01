import type * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"

export const accountSid = "AC00000000000000000000000000000001"
export const authToken = "an auth token for the tests"
export const callbackUrl = "https://sms.example.com/callbacks/twilio"

export const json = { "content-type": "application/json" }

export const created = (
  fields: Readonly<Record<string, unknown>> = {},
): GatewaySuite.VendorAnswer => ({
  status: 201,
  headers: json,
  body: JSON.stringify({
    sid: "SM00000000000000000000000000000002",
    account_sid: accountSid,
    status: "queued",
    num_segments: "1",
    price: null,
    error_code: null,
    error_message: null,
    ...fields,
  }),
})

export const problem = (
  code: number,
  status = 400,
  words = "refused",
): GatewaySuite.VendorAnswer => ({
  status,
  headers: json,
  body: JSON.stringify({
    code,
    message: words,
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status,
  }),
})

/** What Twilio computes, written down again from its description. */
const signatureOf = (url: URL, body: string): string => {
  const form = [...new URLSearchParams(body)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const signed = url.href + form.map(([name, value]) => name + value).join("")
  return createHmac("sha1", authToken).update(signed).digest("base64")
}

export const signedRequest = (url: URL, fields: Readonly<Record<string, string>>) => {
  const body = new URLSearchParams(fields).toString()
  return {
    method: "POST",
    url,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": signatureOf(url, body),
    },
    body: new TextEncoder().encode(body),
  }
}

export const options = { accountSid, authToken: Redacted.make(authToken), callbackUrl } as const

export const whatsApp = { channel: "whatsapp", sender: "8801700000000" } as const
