import type * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"

export const accessToken = "EAAG-an-access-token"
export const appSecret = "an app secret for the tests"
export const verifyToken = "a verify token"
export const callbackUrl = "https://sms.example.com/callbacks/whatsapp-cloud"
export const wamid = "wamid.HBgNODgwMTcxMjM0NTY3OBUCABEYEjk"

const json = { "content-type": "application/json" }

export const taken = (
  fields: Readonly<Record<string, unknown>> = {},
): GatewaySuite.VendorAnswer => ({
  status: 200,
  headers: json,
  body: JSON.stringify({
    messaging_product: "whatsapp",
    contacts: [{ input: "880", wa_id: "880" }],
    messages: [{ id: wamid, ...fields }],
  }),
})

export const problem = (
  code: number,
  { details, status = 400, subcode }: { details?: string; status?: number; subcode?: number } = {},
): GatewaySuite.VendorAnswer => ({
  status,
  headers: json,
  body: JSON.stringify({
    error: {
      message: `(#${code}) refused`,
      type: "OAuthException",
      code,
      error_subcode: subcode,
      error_data: { messaging_product: "whatsapp", details },
      fbtrace_id: "A1",
    },
  }),
})

export const signed = (body: string) => ({
  method: "POST",
  url: new URL(callbackUrl),
  headers: {
    "content-type": "application/json",
    "x-hub-signature-256": `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`,
  },
  body: new TextEncoder().encode(body),
})

export const notification = (...statuses: ReadonlyArray<unknown>): string =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [
      {
        id: "1",
        changes: [
          {
            field: "messages",
            value: { messaging_product: "whatsapp", metadata: { phone_number_id: "77" }, statuses },
          },
        ],
      },
    ],
  })

export const options = {
  accessToken: Redacted.make(accessToken),
  appSecret: Redacted.make(appSecret),
  verifyToken: Redacted.make(verifyToken),
  phoneNumberId: "77",
  template: { name: "otp_code" },
} as const

export const message = { channel: "whatsapp", sender: "profile" } as const
