/**
 * Vendors that carry messages everywhere.
 */
import type { Channel } from "../types.ts"
import type {
  TwilioOptions,
  VendorGateway,
  VonageOptions,
  WhatsAppCloudOptions,
} from "../vendorTypes.ts"
import { load } from "./load.ts"
import { type Settings, vendor } from "./vendorFactory.ts"

const both: ReadonlyArray<Channel> = ["sms", "whatsapp"]

/** Twilio: SMS, and WhatsApp by its content templates. Reports come where `callbacks` is set. */
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

/** Vonage's Messages API: SMS and WhatsApp. Reports come where `signatureSecret` and `callbacks` are set. */
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
              // Nobody would read what is sent there.
              callbackUrl: made.signatureSecret === undefined ? undefined : callbackUrl,
            }),
        ),
    }
  })

/** Meta's WhatsApp Cloud API: codes by an authentication template, and messages. It always reports. */
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
