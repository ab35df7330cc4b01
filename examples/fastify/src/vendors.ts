/**
 * Who carries messages: the vendors whose settings are in the environment, in this order. A message goes to
 * the next one when the one before it has certainly not sent it.
 */
import type { CountersignOptions } from "countersign"
import { sslWireless, twilio } from "countersign/gateways"

const env = (name: string): string => process.env[name] ?? ""

/** `undefined` without any. A setting that is missing is an error of the engine's start. */
export const vendors = (): CountersignOptions["gateways"] => {
  const named = [
    ...(env("SSL_WIRELESS_API_TOKEN") === ""
      ? []
      : [
          sslWireless({
            apiToken: env("SSL_WIRELESS_API_TOKEN"),
            sid: env("SSL_WIRELESS_SID") || undefined,
            baseUrl: env("SSL_WIRELESS_BASE_URL") || undefined,
          }),
        ]),
    ...(env("TWILIO_ACCOUNT_SID") === ""
      ? []
      : [
          twilio({
            accountSid: env("TWILIO_ACCOUNT_SID"),
            authToken: env("TWILIO_AUTH_TOKEN"),
            from: env("TWILIO_FROM") || undefined,
            whatsApp: {
              from: env("TWILIO_WHATSAPP_FROM") || undefined,
              verificationContent: env("TWILIO_WHATSAPP_CONTENT_SID") || undefined,
            },
          }),
        ]),
  ]
  return named.length === 0 ? undefined : named
}
