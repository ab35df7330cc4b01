/**
 * Functions that create gateways to vendors for `createCountersign`. The adapter is loaded when an engine
 * starts that uses it. `createCountersign` checks the options and reports problems.
 */
import type * as Options from "@countersign/gateways/VendorOptions"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Named, VendorGateway, VendorOptions } from "./internal/types/gateways.ts"
import { address, duration, poll, secret, text, vendor } from "./internal/gateways/vendorFactory.ts"

export type * from "@countersign/gateways/HttpDescription"
export type * from "@countersign/gateways/VendorOptions"
export type { Named, Vendor, VendorGateway, VendorOptions } from "./internal/types/gateways.ts"

/** Creates a gateway to Twilio: SMS, and WhatsApp templates. Receives reports if `callbacks` is set. */
export const twilio = vendor<Options.TwilioOptions>()({
  name: "twilio",
  channels: ["sms", "whatsapp"],
  checks: Schema.Struct({
    accountSid: text,
    authToken: secret,
    validity: duration,
    apiKey: Schema.optional(Schema.Struct({ sid: text, secret })),
  }),
  load: () => import("@countersign/gateways/Twilio"),
})

/** Creates a gateway to Vonage: SMS and WhatsApp. Receives reports if `signatureSecret` and `callbacks` are set. */
export const vonage = vendor<Options.VonageOptions>()({
  name: "vonage",
  channels: ["sms", "whatsapp"],
  checks: Schema.Struct({
    auth: Schema.Union([
      Schema.Struct({ applicationId: text, privateKey: secret }),
      Schema.Struct({ apiKey: text, apiSecret: secret }),
    ]),
    signatureSecret: Schema.optional(secret),
    validity: duration,
  }),
  verifiedBy: "signatureSecret",
  load: () => import("@countersign/gateways/Vonage"),
})

/**
 * Creates a gateway to Meta's WhatsApp Cloud API: codes through an authentication template, and messages. It
 * depends on reports.
 */
export const whatsappCloud = vendor<Options.WhatsAppCloudOptions>()({
  name: "whatsapp-cloud",
  channels: ["whatsapp"],
  checks: Schema.Struct({
    accessToken: secret,
    phoneNumberId: text,
    template: Schema.Struct({
      name: text,
      languages: Schema.optional(Schema.Record(Schema.String, Schema.String)),
    }),
    appSecret: secret,
    verifyToken: Schema.optional(secret),
  }),
  verifiedBy: "appSecret",
  load: () => import("@countersign/gateways/WhatsAppCloud"),
})

/** Creates a gateway to SSL Wireless (iSMS Plus). */
export const sslWireless = vendor<Options.SslWirelessOptions>()({
  name: "ssl-wireless",
  checks: Schema.Struct({ apiToken: secret, tokenLifetime: duration }),
  load: () => import("@countersign/gateways/SslWireless"),
})

/** Creates a gateway to BulkSMSBD. */
export const bulkSmsBd = vendor<Options.BulkSmsBdOptions>()({
  name: "bulksmsbd",
  checks: Schema.Struct({ apiKey: secret }),
  load: () => import("@countersign/gateways/BulkSmsBd"),
})

/** Creates a gateway to Alpha SMS. It polls for the outcomes of messages. */
export const alphaSms = vendor<Options.AlphaSmsOptions>()({
  name: "alpha-sms",
  checks: Schema.Struct({ apiKey: secret, poll }),
  load: () => import("@countersign/gateways/AlphaSms"),
})

/** Creates a gateway to MimSMS. */
export const mimSms = vendor<Options.MimSmsOptions>()({
  name: "mimsms",
  checks: Schema.Struct({ userName: text, apiKey: secret }),
  load: () => import("@countersign/gateways/MimSms"),
})

/** Creates a gateway to Grameenphone's Corporate Messaging Platform. */
export const grameenphone = vendor<Options.GrameenphoneOptions>()({
  name: "grameenphone",
  checks: Schema.Struct({ username: text, password: secret }),
  load: () => import("@countersign/gateways/Grameenphone"),
})

/** Creates a gateway to Robi. */
export const robi = vendor<Options.RobiOptions>()({
  name: "robi",
  checks: Schema.Struct({ username: text, password: secret }),
  load: () => import("@countersign/gateways/Robi"),
})

/** Creates a gateway to Banglalink. */
export const banglalink = vendor<Options.BanglalinkOptions>()({
  name: "banglalink",
  checks: Schema.Struct({ userId: text, password: secret }),
  load: () => import("@countersign/gateways/Banglalink"),
})

/** Creates a gateway to Kannel's `sendsms`. Receives reports if `callbackSecret` and `callbacks` are set. */
export const kannel = vendor<Options.KannelOptions>()({
  name: "kannel",
  checks: Schema.Struct({
    url: address,
    username: text,
    password: secret,
    callbackSecret: Schema.optional(secret),
    validity: duration,
  }),
  verifiedBy: "callbackSecret",
  load: () => import("@countersign/gateways/Kannel"),
})

/** Creates an SMPP 3.4 gateway. Receipts arrive on the same connection, which stays open while the engine runs. */
export const smpp = vendor<Options.SmppOptions>()({
  name: "smpp",
  checks: Schema.Struct({
    host: text,
    systemId: text,
    password: secret,
    idLifetime: duration,
    validity: duration,
    queueTimeout: duration,
    answerTimeout: duration,
    connectTimeout: duration,
    enquireInterval: duration,
    retryDelay: duration,
    maxRetryDelay: duration,
  }),
  // Only the adapter can count every part of a text.
  limitsRate: true,
  load: () => import("@countersign/gateways/Smpp"),
})

/**
 * Creates a gateway to SMSGate, an Android phone. It receives reports if `signingKey` and `callbacks` are set,
 * and polls for them otherwise.
 */
export const smsGate = vendor<Options.SmsGateOptions>()({
  name: "smsgate",
  checks: Schema.Struct({
    credentials: Schema.Union([
      Schema.Struct({ username: text, password: secret }),
      Schema.Struct({ token: secret }),
    ]),
    signingKey: Schema.optional(secret),
    tokenLifetime: duration,
    validity: duration,
    poll,
  }),
  verifiedBy: "signingKey",
  load: () => import("@countersign/gateways/SmsGate"),
})

/** Creates a gateway to any HTTP interface that data describes. It polls if the description has `poll`. */
export function httpGateway<const Name extends string = string>(
  options: Options.HttpGatewayOptions & VendorOptions & Named<Name>,
): VendorGateway<Name>
export function httpGateway(options: Options.HttpGatewayOptions & VendorOptions): VendorGateway {
  const { channels, name } = options.description
  const create = vendor<Options.HttpGatewayOptions>()({
    name: "http",
    channels,
    checks: Schema.Struct({ secrets: Schema.optional(Schema.Record(Schema.String, secret)) }),
    load: async () => {
      const { decode, make } = await import("@countersign/gateways/HttpGateway")
      // A description that was read from JSON can have any shape.
      return {
        make: (given) =>
          Effect.flatMap(Effect.fromResult(decode(given.description)), (description) =>
            make({ ...given, description }),
          ),
      }
    },
  })
  return create({ ...options, name: options.name ?? name })
}
