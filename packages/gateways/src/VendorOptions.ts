/**
 * The options of the gateways to vendors. `Secret` is the type of secrets: `Redacted` for hosts with Effect,
 * `string` for hosts without. The module imports no type of Effect.
 */
import type { Duration } from "@countersign/core/domain/values/DurationText"
import type { RejectionReason } from "@countersign/core/domain/values/FailureReason"
import type { ConnectionOptions } from "node:tls"
import type { HttpDescription } from "./HttpDescription.ts"

/** The class to which a vendor's error code can be assigned. */
export type RefusalClass = RejectionReason | "throttled" | "unknown"

/** Options that all gateways to vendors have. */
export interface CommonOptions {
  /** Name of the gateway. Two accounts with one vendor need different names. @defaultValue the vendor's name */
  readonly name?: string | undefined
  /** Longest time that a dispatch may take. @defaultValue `"15 seconds"`; `"30 seconds"` over SMPP */
  readonly timeout?: Duration | undefined
}

/** When to poll for a message. */
export interface PollOptions {
  /** Time between acceptance and the first poll. @defaultValue `"5 seconds"` */
  readonly first?: Duration | undefined
  /** Longest wait. Each wait is twice the previous one. @defaultValue `"10 minutes"` */
  readonly longest?: Duration | undefined
  /** Time after which polling ends; the engine's deadline decides. @defaultValue `"1 day"` */
  readonly end?: Duration | undefined
}

export interface TwilioOptions<Secret = string> extends CommonOptions {
  /** SID of the account, `AC…`. */
  readonly accountSid: string
  /** Verifies the reports. Authenticates the requests if `apiKey` is `undefined`. */
  readonly authToken: Secret
  /** Authenticates the requests instead of the auth token. */
  readonly apiKey?: { readonly sid: string; readonly secret: Secret } | undefined
  /** `MG…`: the messaging service that chooses the sender of every SMS. It takes precedence over `from`. */
  readonly messagingServiceSid?: string | undefined
  /** The sender of every SMS. @defaultValue the message's own sender */
  readonly from?: string | undefined
  /** How messages are sent over WhatsApp. `undefined`: only SMS. */
  readonly whatsApp?:
    | {
        /** The approved sender in E.164 form. @defaultValue the message's own sender */
        readonly from?: string | undefined
        /**
         * The content template of codes, `HX…`, with the code as variable 1. Either one for all languages, or one
         * per language (`en-us`). `undefined`: the text is sent as it is. WhatsApp accepts that only within 24
         * hours of the recipient's last message. A template shows only the code, so a code for a payment is rejected.
         */
        readonly verificationContent?: string | Readonly<Record<string, string>> | undefined
        /** The content template of messages, with the text as variable 1. `undefined`: the text is sent as it is. */
        readonly messageContent?: string | undefined
      }
    | undefined
  /**
   * The callback URL for reports: `Callbacks.urlOf`. Without it, there are no reports, and an accepted message
   * counts as delivered.
   * @defaultValue the address in `callbacks.urls` for `createCountersign`, otherwise none
   */
  readonly callbackUrl?: string | URL | undefined
  /** How long Twilio may try: 1 second to 10 hours. @defaultValue Twilio's default, 10 hours */
  readonly validity?: Duration | undefined
  /** Rejection reasons of error codes. They override or extend the built-in table. */
  readonly reasons?: Readonly<Record<number, RejectionReason>> | undefined
  /** Base URL of the vendor's API. @defaultValue `https://api.twilio.com` */
  readonly baseUrl?: string | undefined
}

/** WhatsApp's authentication template of codes. It shows only the code, so a code for a payment is rejected. */
export interface TemplateOptions {
  /** The name of the approved template. */
  readonly name: string
  /** WhatsApp's language code per locale. @defaultValue `{ "en-us": "en_US", "bn-bd": "bn" }` */
  readonly languages?: Readonly<Record<string, string>> | undefined
}

export interface VonageOptions<Secret = string> extends CommonOptions {
  /**
   * An application and its PKCS #8 PEM file, which Vonage recommends, or the account's own key. With the
   * account's key, Vonage sends reports to the URL in the account's settings.
   */
  readonly auth:
    | { readonly applicationId: string; readonly privateKey: Secret }
    | { readonly apiKey: string; readonly apiSecret: Secret }
  /** Verifies the reports. `undefined`: reports are not read, and an accepted message counts as delivered. */
  readonly signatureSecret?: Secret | undefined
  /**
   * The callback URL for reports: `Callbacks.urlOf`.
   * @defaultValue the address in `callbacks.urls` for `createCountersign`, otherwise the URL in Vonage's settings
   */
  readonly callbackUrl?: string | URL | undefined
  /** The sender of every SMS. @defaultValue the message's own sender */
  readonly from?: string | undefined
  /** How messages are sent over WhatsApp. `undefined`: only SMS. */
  readonly whatsApp?:
    | {
        /** The phone number that sends the messages. @defaultValue the message's own sender */
        readonly from?: string | undefined
        /** The authentication template of codes. `undefined`: a code is sent as plain text. */
        readonly template?: TemplateOptions | undefined
      }
    | undefined
  /** How long Vonage may try to deliver an SMS. @defaultValue Vonage's own default */
  readonly validity?: Duration | undefined
  /** Rejection reasons of error codes. They override or extend the built-in table. */
  readonly reasons?: Readonly<Record<number, RejectionReason>> | undefined
  /** Base URL of the vendor's API. @defaultValue `https://api.nexmo.com` */
  readonly baseUrl?: string | undefined
}

export interface WhatsAppCloudOptions<Secret = string> extends CommonOptions {
  /** Token of a system user with the permission `whatsapp_business_messaging`. */
  readonly accessToken: Secret
  /** Id of the phone number that sends the messages, not its digits. */
  readonly phoneNumberId: string
  /** Ids of further phone numbers, by the message's sender. Other senders use `phoneNumberId`. */
  readonly profiles?: Readonly<Record<string, string>> | undefined
  /** The authentication template of codes. */
  readonly template: TemplateOptions
  /**
   * How messages other than codes are sent: as plain text or with a template. Meta accepts plain text only within 24
   * hours of the recipient's last message. The body of the template has one parameter, the text. Its language is Meta's
   * code (`en_US`).
   * @defaultValue `text`
   */
  readonly messages?: "text" | { readonly name: string; readonly language: string } | undefined
  /** Verifies the reports. */
  readonly appSecret: Secret
  /** The verify token of the webhook's setup. `undefined`: the webhook cannot be set up. */
  readonly verifyToken?: Secret | undefined
  /** Version of the Graph API. @defaultValue `v25.0` */
  readonly version?: string | undefined
  /** Base URL of the vendor's API. @defaultValue `https://graph.facebook.com` */
  readonly baseUrl?: string | undefined
}

export interface SslWirelessOptions<Secret = string> extends CommonOptions {
  /** The API token of the account. */
  readonly apiToken: Secret
  /** The brand of every message. @defaultValue the message's own sender */
  readonly sid?: string | undefined
  /**
   * How long the vendor rejects a `csms_id` that it has seen, if the contract guarantees it. With 0, a message
   * that may have been sent is never sent again.
   * @defaultValue `"0 seconds"`
   */
  readonly tokenLifetime?: Duration | undefined
  /** Base URL of the API; contracts may name another. @defaultValue `https://smsplus.sslwireless.com` */
  readonly baseUrl?: string | undefined
}

export interface BulkSmsBdOptions<Secret = string> extends CommonOptions {
  /** The API key of the account. */
  readonly apiKey: Secret
  /** The sender of every message. @defaultValue the message's own sender */
  readonly senderId?: string | undefined
  /** Meanings of error codes that override or extend the built-in table: `{ 1032: "account" }`. */
  readonly codes?: Readonly<Record<number, RefusalClass>> | undefined
  /** Base URL of the vendor's API. @defaultValue `https://bulksmsbd.net` */
  readonly baseUrl?: string | undefined
}

export interface AlphaSmsOptions<Secret = string> extends CommonOptions {
  /** The API key of the account. */
  readonly apiKey: Secret
  /** The sender of every message. `null`: the account's default. @defaultValue the message's own sender */
  readonly senderId?: string | null | undefined
  /**
   * Whether `Sent` in a report that is `Complete` means delivered. `false`: it means accepted, and polling
   * continues. The default is `true` because the vendor documents no other status.
   * @defaultValue `true`
   */
  readonly sentIsDelivered?: boolean | undefined
  /** When the adapter polls for reports. @defaultValue 5 seconds to 10 minutes apart, for a day */
  readonly poll?: PollOptions | undefined
  /** Meanings of error codes that override or extend the built-in table: `{ 421: "account" }`. */
  readonly codes?: Readonly<Record<number, RefusalClass>> | undefined
  /** Base URL of the vendor's API. @defaultValue `https://api.sms.net.bd` */
  readonly baseUrl?: string | undefined
}

export interface SenderOptions extends CommonOptions {
  /** The sender of every message. @defaultValue the message's own sender */
  readonly sender?: string | undefined
}

/** Options of a vendor whose description the library contains. */
export interface PresetOptions extends SenderOptions {
  /** Fields that replace the fields of the vendor's description for this account. */
  readonly description?: Partial<HttpDescription> | undefined
}

export interface MimSmsOptions<Secret = string> extends PresetOptions {
  /** The e-mail address of the account. */
  readonly userName: string
  /** The API key of the account. */
  readonly apiKey: Secret
  /** Kind of every message: `T`, `P` or `D`, which is bulk. @defaultValue `P` for promotional messages, otherwise `T` */
  readonly transactionType?: string | undefined
  /** Required for promotional messages. */
  readonly campaignId?: string | undefined
}

export interface GrameenphoneOptions<Secret = string> extends PresetOptions {
  /** The user of the account. */
  readonly username: string
  /** The password of the user. */
  readonly password: Secret
  /** Operation to call; see {@link description}. @defaultValue `1` */
  readonly apicode?: string | undefined
}

export interface RobiOptions<Secret = string> extends PresetOptions {
  /** The user of the account. */
  readonly username: string
  /** The password of the user. */
  readonly password: Secret
}

export interface BanglalinkOptions<Secret = string> extends PresetOptions {
  /** The user of the account. */
  readonly userId: string
  /** The password of the user. */
  readonly password: Secret
}

export interface KannelOptions<Secret = string> extends CommonOptions {
  /** URL of `sendsms`: `http://127.0.0.1:13013/cgi-bin/sendsms`. */
  readonly url: string | URL
  /** User in the group `sendsms-user`. Username and password have to be printable ASCII. */
  readonly username: string
  /** The password of the user. */
  readonly password: Secret
  /** The sender of every SMS. @defaultValue the message's own sender */
  readonly from?: string | undefined
  /** The `smsc-id` that carries the message. @defaultValue Kannel's choice */
  readonly smsc?: string | undefined
  /** Account name for Kannel's access log. */
  readonly account?: string | undefined
  /** How long the message centre may try, in whole minutes. @defaultValue the centre's own default */
  readonly validity?: Duration | undefined
  /**
   * Signs the callback URL of each message, because Kannel signs nothing: 32 random characters that no other
   * system has. `undefined`: there are no reports, and an accepted message counts as delivered.
   */
  readonly callbackSecret?: Secret | undefined
  /**
   * The callback URL for reports: `Callbacks.urlOf`. Required with `callbackSecret`.
   * @defaultValue the address in `callbacks.urls` for `createCountersign`
   */
  readonly callbackUrl?: string | URL | undefined
}

export interface SmppOptions<Secret = string> extends CommonOptions {
  /** The host name or address of the message centre. */
  readonly host: string
  /** TCP port of the message centre. @defaultValue 2775 */
  readonly port?: number | undefined
  /** `true`: TLS with Node's defaults. An object: options of `tls.connect`. @defaultValue `false`, no TLS */
  readonly tls?: boolean | ConnectionOptions | undefined
  /** The account at the message centre, at most 15 characters. */
  readonly systemId: string
  /** The password of `systemId`, at most 8 characters. */
  readonly password: Secret
  /** The `system_type` of the bind, at most 12 characters. @defaultValue empty */
  readonly systemType?: string | undefined
  /** The `service_type` of messages, at most 5 characters. @defaultValue empty */
  readonly serviceType?: string | undefined
  /**
   * `pair` binds a receiver and a transmitter, for centres that reject transceivers. Each bind counts against
   * the operator's limit.
   * @defaultValue `transceiver`
   */
  readonly bind?: "transceiver" | "pair" | undefined
  /** The sender of every SMS. @defaultValue the message's own sender */
  readonly from?: string | undefined
  /** Address type of senders of up to 6 digits. @defaultValue `{ ton: 3, npi: 0 }` */
  readonly shortCode?: { readonly ton: number; readonly npi: number } | undefined
  /** How the parts of a long text are joined. @defaultValue `udh`, a header in each part */
  readonly joining?: "udh" | "sar" | "payload" | undefined
  /** Parts of a text that request a receipt. @defaultValue `every part` */
  readonly receipts?: "every part" | "first part" | "none" | undefined
  /** Format of ids in the centre's answers and receipts. @defaultValue text in both */
  readonly ids?:
    | {
        /** The format in answers to a submitted message. */
        readonly answers: "text" | "decimal" | "hexadecimal"
        /** The format in receipts. */
        readonly receipts: "text" | "decimal" | "hexadecimal"
      }
    | undefined
  /**
   * How long the centre does not reuse an id. Centres use short counters and restart them. A receipt for a final
   * message is matched only within this time.
   * @defaultValue `"7 days"`
   */
  readonly idLifetime?: Duration | undefined
  /** Meanings of the operator's command statuses. They override the meanings of the specification. */
  readonly statuses?: Readonly<Record<number, RefusalClass>> | undefined
  /** How long the centre may try: 1 second to 99 hours. @defaultValue the centre's own default */
  readonly validity?: Duration | undefined
  /** Most messages that are sent and not yet answered. @defaultValue 10 */
  readonly window?: number | undefined
  /** Most messages per second; each part counts. @defaultValue no limit */
  readonly perSecond?: number | undefined
  /** Most messages in the queue. Further messages are throttled. @defaultValue 1,000 */
  readonly maxQueued?: number | undefined
  /** Most parts that are remembered until their receipts arrive. @defaultValue 100,000 */
  readonly maxTracked?: number | undefined
  /** Longest time in the queue. @defaultValue `"5 seconds"` */
  readonly queueTimeout?: Duration | undefined
  /** Longest wait for an answer. @defaultValue `"10 seconds"` */
  readonly answerTimeout?: Duration | undefined
  /** Longest time for a connection, and for a bind. @defaultValue `"5 seconds"` */
  readonly connectTimeout?: Duration | undefined
  /** Pause between two `enquire_link` requests. @defaultValue `"30 seconds"` */
  readonly enquireInterval?: Duration | undefined
  /** Pause before the second attempt to bind. Doubles with each failure. @defaultValue `"500 milliseconds"` */
  readonly retryDelay?: Duration | undefined
  /** Longest pause between two attempts. @defaultValue `"1 minute"` */
  readonly maxRetryDelay?: Duration | undefined
}

export interface SmsGateOptions<Secret = string> extends CommonOptions {
  /** The credentials in the phone's settings, or a token with the scope `messages:send`. */
  readonly credentials:
    | { readonly username: string; readonly password: Secret }
    | { readonly token: Secret }
  /** Verifies the phone's webhooks. `undefined`: webhooks are off, and the adapter polls for reports. */
  readonly signingKey?: Secret | undefined
  /** The phone to use. @defaultValue any phone of the account */
  readonly deviceId?: string | undefined
  /** SIM slot, 1 to 3. @defaultValue the phone's default */
  readonly simNumber?: number | undefined
  /** How long the phone may try, at least 5 seconds. @defaultValue no limit */
  readonly validity?: Duration | undefined
  /** -128 to 127. From 100 on, the phone ignores its own limits. */
  readonly priority?: number | undefined
  /** When the adapter polls for reports. @defaultValue 5 seconds to 10 minutes apart, for a day */
  readonly poll?: PollOptions | undefined
  /** How long the server recognizes a message by its id. @defaultValue `"1 day"` */
  readonly tokenLifetime?: Duration | undefined
  /**
   * Base URL of the API; `http://phone:8080` for a phone on the same network.
   * @defaultValue `https://api.sms-gate.app/3rdparty/v1`
   */
  readonly baseUrl?: string | undefined
}

export interface HttpGatewayOptions<Secret = string> extends SenderOptions {
  /** The requests of the vendor and the meaning of its answers. */
  readonly description: HttpDescription
  /** Values for the placeholders that the description lists in `secrets`. */
  readonly secrets?: Readonly<Record<string, Secret>> | undefined
  /** Values for the placeholders in the description's `values`. Required for those that are empty there. */
  readonly values?: Readonly<Record<string, string | undefined>> | undefined
}
