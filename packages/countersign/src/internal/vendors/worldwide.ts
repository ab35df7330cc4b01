/**
 * Vendors that send messages worldwide.
 */
import type { Channel } from "../types/data.ts"
import type {
  TwilioOptions,
  VendorGateway,
  VonageOptions,
  WhatsAppCloudOptions,
} from "../vendorTypes.ts"
import { load } from "./load.ts"
import { type Settings, vendor } from "./vendorFactory.ts"

const both: ReadonlyArray<Channel> = ["sms", "whatsapp"]

/**
 * Creates a gateway to Twilio: SMS, and WhatsApp through content templates. Receives reports if `callbacks` is
 * set.
 */
export const twilio = (options: TwilioOptions): VendorGateway =>
  vendor("twilio", options, (settings) => {
    const { apiKey } = options
    const made = {
      ...options,
      accountSid: settings.text("accountSid", options.accountSid),
      authToken: settings.secret("authToken", options.authToken),
      apiKey:
        apiKey === undefined
          ? undefined
          : {
              sid: settings.text("apiKey.sid", apiKey.sid),
              secret: settings.secret("apiKey.secret", apiKey.secret),
            },
      baseUrl: settings.optionalUrl("baseUrl", options.baseUrl),
    }
    return {
      channels: both,
      make: (callbackUrl) =>
        load(
          () => import("@countersign/gateways/Twilio"),
          ({ make }) => make({ ...made, callbackUrl }),
        ),
    }
  })

const vonageAuth = (settings: Settings, auth: VonageOptions["auth"]) => {
  if ("applicationId" in auth) {
    return {
      applicationId: settings.text("auth.applicationId", auth.applicationId),
      privateKey: settings.secret("auth.privateKey", auth.privateKey),
    }
  }
  return {
    apiKey: settings.text("auth.apiKey", auth.apiKey),
    apiSecret: settings.secret("auth.apiSecret", auth.apiSecret),
  }
}

/**
 * Creates a gateway to Vonage's Messages API: SMS and WhatsApp. Receives reports if `signatureSecret` and
 * `callbacks` are set.
 */
export const vonage = (options: VonageOptions): VendorGateway =>
  vendor("vonage", options, (settings) => {
    const made = {
      ...options,
      auth: vonageAuth(settings, options.auth),
      signatureSecret: settings.optionalSecret("signatureSecret", options.signatureSecret),
      baseUrl: settings.optionalUrl("baseUrl", options.baseUrl),
    }
    return {
      channels: both,
      needsCallbacks: made.signatureSecret !== undefined,
      make: (callbackUrl) =>
        load(
          () => import("@countersign/gateways/Vonage"),
          ({ make }) =>
            make({
              ...made,
              // Without the secret, the gateway would not read the reports.
              callbackUrl: made.signatureSecret === undefined ? undefined : callbackUrl,
            }),
        ),
    }
  })

/**
 * Creates a gateway to Meta's WhatsApp Cloud API: codes through an authentication template, and messages. It
 * depends on reports.
 */
export const whatsappCloud = (options: WhatsAppCloudOptions): VendorGateway =>
  vendor("whatsapp-cloud", options, (settings) => {
    const made = {
      ...options,
      accessToken: settings.secret("accessToken", options.accessToken),
      phoneNumberId: settings.text("phoneNumberId", options.phoneNumberId),
      template: {
        ...options.template,
        name: settings.text("template.name", options.template?.name),
      },
      appSecret: settings.secret("appSecret", options.appSecret),
      verifyToken: settings.optionalSecret("verifyToken", options.verifyToken),
      baseUrl: settings.optionalUrl("baseUrl", options.baseUrl),
    }
    return {
      channels: ["whatsapp"],
      needsCallbacks: true,
      make: () =>
        load(
          () => import("@countersign/gateways/WhatsAppCloud"),
          ({ make }) => make(made),
        ),
    }
  })
