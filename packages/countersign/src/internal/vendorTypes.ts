/**
 * The options of the gateways to vendors. Secrets are plain strings here and are wrapped when the gateway is
 * created, so that no error and no log line contains them.
 */
import type { ConnectionOptions } from "node:tls"
import type { HttpDescription } from "./httpDescription.ts"

/** A gateway to a vendor, made by one of the functions of `countersign/gateways`. */
export interface VendorGateway {
  /** The name in routes, in reports and in the log. */
  readonly name: string
  /** The interface of the gateway: `twilio`, `kannel` and so on. */
  readonly vendor: string
}

/** The cause of a rejection. */
export type RejectionReason = "recipient" | "content" | "sender" | "account"

/** The class to which a vendor's error code can be assigned. */
export type RefusalClass = RejectionReason | "throttled" | "unknown"

/** The options that all vendors have. */
export interface VendorOptions {
  /** The gateway's name. Two accounts with one vendor need different names. @defaultValue the vendor's name */
  readonly name?: string | undefined
  /** Time limit of an attempt, in milliseconds. @defaultValue 15,000 */
  readonly timeoutMillis?: number | undefined
  /** Maximum number of messages a second, for each node. @defaultValue unlimited */
  readonly perSecond?: number | undefined
  /**
   * Pause between two messages to one recipient in milliseconds, for each node.
   *
   * @defaultValue 6,000 for WhatsApp Cloud, otherwise 0
   */
  readonly pairMillis?: number | undefined
}

export interface TwilioOptions extends VendorOptions {
  /** The account's id, `AC…`. */
  readonly accountSid: string
  /** Verifies reports. Also authenticates requests, if there is no `apiKey`. */
  readonly authToken: string
  /** Authenticates requests instead of `authToken`. */
  readonly apiKey?: { readonly sid: string; readonly secret: string } | undefined
  /** `MG…`: the messaging service chooses the sender of every SMS. */
  readonly messagingServiceSid?: string | undefined
  /** The sender of every SMS. @defaultValue the sender of the message */
  readonly from?: string | undefined
  readonly whatsApp?:
    | {
        /** The approved sender, E.164. @defaultValue the sender of the message */
        readonly from?: string | undefined
        /** The content template of codes, `HX…`: one for all languages, or one for each (`en-us`). */
        readonly verificationContent?: string | Readonly<Record<string, string>> | undefined
        /** The content template of messages, `HX…`. @defaultValue messages are sent as text */
        readonly messageContent?: string | undefined
      }
    | undefined
  /** How long Twilio tries to deliver, in seconds, 1 to 36,000. @defaultValue Twilio's own, ten hours */
  readonly validitySeconds?: number | undefined
  /** Rejection reasons by error code. Adds codes, or replaces those of the adapter. */
  readonly reasons?: Readonly<Record<number, RejectionReason>> | undefined
  /** @defaultValue `https://api.twilio.com` */
  readonly baseUrl?: string | undefined
}

export interface VonageOptions extends VendorOptions {
  /** The id and the private key of an application, or the key and the secret of the account. */
  readonly auth:
    | { readonly applicationId: string; readonly privateKey: string }
    | { readonly apiKey: string; readonly apiSecret: string }
  /** Verifies reports. Without it, no reports are read, and an accepted message counts as delivered. */
  readonly signatureSecret?: string | undefined
  /** The sender of every SMS. @defaultValue the sender of the message */
  readonly from?: string | undefined
  readonly whatsApp?:
    | {
        /** The sender's phone number. @defaultValue the sender of the message */
        readonly from?: string | undefined
        /** The authentication template of codes. Without it, codes are sent as text. */
        readonly template?: WhatsAppTemplate | undefined
      }
    | undefined
  /** How long Vonage tries to deliver an SMS, in seconds. @defaultValue Vonage's own */
  readonly ttlSeconds?: number | undefined
  /** Rejection reasons by error code. Adds codes, or replaces those of the adapter. */
  readonly reasons?: Readonly<Record<number, RejectionReason>> | undefined
  /** @defaultValue `https://api.nexmo.com` */
  readonly baseUrl?: string | undefined
}

export interface WhatsAppTemplate {
  readonly name: string
  /** WhatsApp's language for each locale. @defaultValue `{ "en-us": "en_US", "bn-bd": "bn" }` */
  readonly languages?: Readonly<Record<string, string>> | undefined
}

export interface WhatsAppCloudOptions extends VendorOptions {
  /** The token of a system user with the permission `whatsapp_business_messaging`. */
  readonly accessToken: string
  /** The id of the phone number that messages come from, not the phone number itself. */
  readonly phoneNumberId: string
  /** Ids of further phone numbers, by the sender of the message. */
  readonly profiles?: Readonly<Record<string, string>> | undefined
  /** The authentication template of codes. */
  readonly template: WhatsAppTemplate
  /**
   * How messages without a code are sent: as text, which Meta accepts only within 24 hours of the recipient's
   * last message, or with a template.
   *
   * @defaultValue `text`
   */
  readonly messages?: "text" | { readonly name: string; readonly language: string } | undefined
  /** Verifies reports. */
  readonly appSecret: string
  /** The token from the webhook's setup at Meta. Required for that setup. */
  readonly verifyToken?: string | undefined
  /** @defaultValue `v25.0` */
  readonly version?: string | undefined
  /** @defaultValue `https://graph.facebook.com` */
  readonly baseUrl?: string | undefined
}

export interface SslWirelessOptions extends VendorOptions {
  readonly apiToken: string
  /** The brand of every message. @defaultValue the sender of the message */
  readonly sid?: string | undefined
  /** How long the vendor refuses a repeated id according to the contract, in milliseconds. @defaultValue 0 */
  readonly tokenMillis?: number | undefined
  /** @defaultValue `https://smsplus.sslwireless.com` */
  readonly baseUrl?: string | undefined
}

export interface BulkSmsBdOptions extends VendorOptions {
  readonly apiKey: string
  /** The sender of every message. @defaultValue the sender of the message */
  readonly senderId?: string | undefined
  /** Classes of error codes that replace those of the adapter: `{ 1032: "account" }`. */
  readonly codes?: Readonly<Record<number, RefusalClass>> | undefined
  /** @defaultValue `https://bulksmsbd.net` */
  readonly baseUrl?: string | undefined
}

/** When to ask a vendor for the outcome of a message. By default from 5 seconds to 10 minutes apart, for a day. */
export interface PollPlan {
  /** From the acceptance to the first request, in milliseconds. */
  readonly firstMillis?: number | undefined
  /** Maximum wait in milliseconds. Each wait is twice the one before. */
  readonly longestMillis?: number | undefined
  /** Polling ends after this time, in milliseconds. */
  readonly endMillis?: number | undefined
}

export interface AlphaSmsOptions extends VendorOptions {
  readonly apiKey: string
  /** The sender of every message; `null` for the account's sender. @defaultValue the sender of the message */
  readonly senderId?: string | null | undefined
  /** Whether `Sent` in a complete report means delivered. @defaultValue `true` */
  readonly sentIsDelivered?: boolean | undefined
  readonly poll?: PollPlan | undefined
  /** Classes of error codes that replace those of the adapter: `{ 421: "account" }`. */
  readonly codes?: Readonly<Record<number, RefusalClass>> | undefined
  /** @defaultValue `https://api.sms.net.bd` */
  readonly baseUrl?: string | undefined
}

/** The options of the vendors that are described by data. */
export interface DescribedOptions extends VendorOptions {
  /** The sender of every message. @defaultValue the sender of the message */
  readonly sender?: string | undefined
  /** Parts of the description that differ for this account. */
  readonly description?: Partial<HttpDescription> | undefined
}

export interface MimSmsOptions extends DescribedOptions {
  /** The e-mail address of the account. */
  readonly userName: string
  readonly apiKey: string
  /** @defaultValue `T` */
  readonly transactionType?: string | undefined
  /** Required for advertising. */
  readonly campaignId?: string | undefined
}

export interface GrameenphoneOptions extends DescribedOptions {
  readonly username: string
  readonly password: string
  /** @defaultValue `1` */
  readonly apicode?: string | undefined
}

export interface RobiOptions extends DescribedOptions {
  readonly username: string
  readonly password: string
}

export interface BanglalinkOptions extends DescribedOptions {
  readonly userId: string
  readonly password: string
}

export interface KannelOptions extends VendorOptions {
  /** The address of `sendsms`: `http://127.0.0.1:13013/cgi-bin/sendsms`. */
  readonly url: string
  /** The user name from the group `sendsms-user`. */
  readonly username: string
  readonly password: string
  /** The sender of every SMS. @defaultValue the sender of the message */
  readonly from?: string | undefined
  /** The `smsc-id` that must carry the message. @defaultValue Kannel chooses */
  readonly smsc?: string | undefined
  /** Kannel writes it to its access log. */
  readonly account?: string | undefined
  /** How long the message centre tries to deliver, in minutes. @defaultValue the message centre's own */
  readonly validityMinutes?: number | undefined
  /**
   * Signs the addresses of reports, because Kannel signs no reports: 32 random characters of your own. Without
   * it, there are no reports, and an accepted message counts as delivered.
   */
  readonly callbackSecret?: string | undefined
  /**
   * The address for Kannel's reports, if Kannel cannot reach the public address.
   *
   * @defaultValue the address in `callbacks.urls`
   */
  readonly callbackUrl?: string | undefined
}

export interface SmppOptions extends VendorOptions {
  readonly host: string
  /** @defaultValue 2775 */
  readonly port?: number | undefined
  /** TLS with Node's defaults (`true`) or with options of `tls.connect`. @defaultValue `false`, no TLS */
  readonly tls?: boolean | ConnectionOptions | undefined
  /** At most 15 characters. */
  readonly systemId: string
  /** At most 8 characters. */
  readonly password: string
  /** At most 12 characters. @defaultValue empty */
  readonly systemType?: string | undefined
  /** At most 5 characters. @defaultValue empty */
  readonly serviceType?: string | undefined
  /**
   * `pair` binds a receiver and a transmitter, for message centres that refuse transceivers. Each bind counts
   * towards the operator's limit.
   *
   * @defaultValue `transceiver`
   */
  readonly bind?: "transceiver" | "pair" | undefined
  /** The sender of every SMS. @defaultValue the sender of the message */
  readonly from?: string | undefined
  /** Type and numbering plan of senders with up to 6 digits. @defaultValue `{ ton: 3, npi: 0 }` */
  readonly shortCode?: { readonly ton: number; readonly npi: number } | undefined
  /** How the parts of a long text are joined; `udh` puts a header into each part. @defaultValue `udh` */
  readonly joining?: "udh" | "sar" | "payload" | undefined
  /** The parts of a text for which a receipt is requested. @defaultValue `every part` */
  readonly receipts?: "every part" | "first part" | "none" | undefined
  /** The format of ids in the message centre's responses and in its receipts. @defaultValue text in both */
  readonly ids?:
    | {
        readonly answers: "text" | "decimal" | "hexadecimal"
        readonly receipts: "text" | "decimal" | "hexadecimal"
      }
    | undefined
  /**
   * How long the message centre does not reuse an id, in milliseconds. Message centres use few digits and start
   * again after a restart. A receipt must arrive within this time to match a message that is final.
   *
   * @defaultValue 604,800,000, seven days
   */
  readonly idMillis?: number | undefined
  /** Classes of status codes from the operator's documentation. They replace those of the specification. */
  readonly statuses?: Readonly<Record<number, RefusalClass>> | undefined
  /**
   * How long the message centre tries to deliver, in seconds, at most 99 hours.
   *
   * @defaultValue the message centre's own
   */
  readonly validitySeconds?: number | undefined
  /** Maximum number of requests that wait for a response. @defaultValue 10 */
  readonly window?: number | undefined
  /** Maximum number of messages a second; each part counts. @defaultValue unlimited */
  readonly perSecond?: number | undefined
  /** Maximum number of queued messages. @defaultValue 1,000 */
  readonly maxQueued?: number | undefined
  /** Maximum number of parts that wait for a receipt. @defaultValue 100,000 */
  readonly maxTracked?: number | undefined
  /** How long a message may wait in the queue, in milliseconds. @defaultValue 5,000 */
  readonly queueMillis?: number | undefined
  /** Time limit of a response, in milliseconds. @defaultValue 10,000 */
  readonly answerMillis?: number | undefined
  /** Time limit of a connection and of a bind, each, in milliseconds. @defaultValue 5,000 */
  readonly connectMillis?: number | undefined
  /** Interval of `enquire_link`, in milliseconds. @defaultValue 30,000 */
  readonly enquireMillis?: number | undefined
  /** Pause before the second attempt to bind, in milliseconds. It doubles with each failure. @defaultValue 500 */
  readonly retryMillis?: number | undefined
  /** Longest pause between two attempts to bind, in milliseconds. @defaultValue 60,000 */
  readonly maxRetryMillis?: number | undefined
  /** Time limit of a dispatch in total, in milliseconds. @defaultValue 30,000 */
  readonly timeoutMillis?: number | undefined
}

export interface SmsGateOptions extends VendorOptions {
  /** The user name and password from the phone's settings, or a token with the scope `messages:send`. */
  readonly credentials:
    | { readonly username: string; readonly password: string }
    | { readonly token: string }
  /** Verifies the phone's webhooks. Without it, webhooks are ignored, and the gateway polls for reports. */
  readonly signingKey?: string | undefined
  /** The phone to use, if there are several. @defaultValue any phone */
  readonly deviceId?: string | undefined
  /** 1 to 3. @defaultValue the phone's own */
  readonly simNumber?: number | undefined
  /** How long the phone tries to send, in seconds, at least 5. @defaultValue unlimited */
  readonly ttlSeconds?: number | undefined
  /** -128 to 127. From 100 on, messages bypass the phone's own limits. */
  readonly priority?: number | undefined
  readonly poll?: PollPlan | undefined
  /** How long the server recognizes a message by its id, in milliseconds. @defaultValue 86,400,000 */
  readonly tokenMillis?: number | undefined
  /** `http://phone:8080` for a phone in the local network. @defaultValue `https://api.sms-gate.app/3rdparty/v1` */
  readonly baseUrl?: string | undefined
}

export interface HttpGatewayOptions extends VendorOptions {
  /** The requests of the vendor and the meaning of its responses. */
  readonly description: HttpDescription
  /** The values of the description's `secrets`. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  /** Replaces the description's `values`. Those that are empty there are required here. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** The sender of every message. @defaultValue the sender of the message */
  readonly sender?: string | undefined
}
