/**
 * What has to be said of an account with a vendor. Secrets are plain texts here, and are wrapped as soon as
 * they are handed over: no error and no log quotes them.
 */
import type { ConnectionOptions } from "node:tls"
import type { HttpDescription } from "./httpDescription.ts"

/** A gateway to a vendor, made by one of the functions of `countersign/gateways`. */
export interface VendorGateway {
  /** What routes, reports and the log call it. */
  readonly name: string
  /** Whose interface it speaks: `twilio`, `kannel` and so on. */
  readonly vendor: string
}

/** Whose fault a refusal is. */
export type RejectionReason = "recipient" | "content" | "sender" | "account"

/** What a vendor's own code may be counted as. */
export type RefusalClass = RejectionReason | "throttled" | "unknown"

/** What can be said of every vendor. */
export interface VendorOptions {
  /** The vendor's when left out. Two accounts with one vendor need a name each. */
  readonly name?: string | undefined
  /** How long an attempt may take; 15,000 when left out. */
  readonly timeoutMillis?: number | undefined
  /** Messages a second, for each node; as many as come when left out. */
  readonly perSecond?: number | undefined
  /** Pause between two messages to one recipient, for each node; 6,000 for WhatsApp Cloud and none for others when left out. */
  readonly pairMillis?: number | undefined
}

export interface TwilioOptions extends VendorOptions {
  /** `AC…` */
  readonly accountSid: string
  /** Signs the reports, and the requests where no API key is given. */
  readonly authToken: string
  /** Signs the requests in the token's place. */
  readonly apiKey?: { readonly sid: string; readonly secret: string } | undefined
  /** `MG…`: lets the service choose the sender of every SMS. */
  readonly messagingServiceSid?: string | undefined
  /** The sender of every SMS; the message's own sender when left out. */
  readonly from?: string | undefined
  readonly whatsApp?:
    | {
        /** The approved sender in E.164 form; the message's own sender when left out. */
        readonly from?: string | undefined
        /** The content template of codes, `HX…`: one for all languages, or one for each (`en-us`). */
        readonly verificationContent?: string | Readonly<Record<string, string>> | undefined
        /** The content template of messages, `HX…`; the text itself when left out. */
        readonly messageContent?: string | undefined
      }
    | undefined
  /** 1 to 36,000: how long Twilio may try. Its own default, ten hours, when left out. */
  readonly validitySeconds?: number | undefined
  /** Whose fault further error codes are, or other ones than the adapter knows. */
  readonly reasons?: Readonly<Record<number, RejectionReason>> | undefined
  /** `https://api.twilio.com` when left out. */
  readonly baseUrl?: string | undefined
}

export interface VonageOptions extends VendorOptions {
  /** An application and its key, or the account's own. */
  readonly auth:
    | { readonly applicationId: string; readonly privateKey: string }
    | { readonly apiKey: string; readonly apiSecret: string }
  /** Signs the reports. Without it none are read, and accepted is delivered. */
  readonly signatureSecret?: string | undefined
  /** The sender of every SMS; the message's own sender when left out. */
  readonly from?: string | undefined
  readonly whatsApp?:
    | {
        /** The number that messages come from; the message's own sender when left out. */
        readonly from?: string | undefined
        /** The authentication template of codes; without it they go out as text. */
        readonly template?: WhatsAppTemplate | undefined
      }
    | undefined
  /** How long Vonage may try to deliver an SMS. Its own default when left out. */
  readonly ttlSeconds?: number | undefined
  /** Whose fault further error codes are, or other ones than the adapter knows. */
  readonly reasons?: Readonly<Record<number, RejectionReason>> | undefined
  /** `https://api.nexmo.com` when left out. */
  readonly baseUrl?: string | undefined
}

export interface WhatsAppTemplate {
  readonly name: string
  /** WhatsApp's language for each locale: `{ "en-us": "en_US", "bn-bd": "bn" }` when left out. */
  readonly languages?: Readonly<Record<string, string>> | undefined
}

export interface WhatsAppCloudOptions extends VendorOptions {
  /** Of a system user with `whatsapp_business_messaging`. */
  readonly accessToken: string
  /** The number that messages come from: its id, not its digits. */
  readonly phoneNumberId: string
  /** Ids of further numbers, by the sender of the message. */
  readonly profiles?: Readonly<Record<string, string>> | undefined
  /** The authentication template of codes. */
  readonly template: WhatsAppTemplate
  /**
   * How messages that are no codes go out: as text, which Meta takes only within 24 hours of the
   * recipient's last message, or by a template. Text when left out.
   */
  readonly messages?: "text" | { readonly name: string; readonly language: string } | undefined
  /** Signs the reports. */
  readonly appSecret: string
  /** What was typed in where the webhook was set up; without it that cannot be done. */
  readonly verifyToken?: string | undefined
  /** `v25.0` when left out. */
  readonly version?: string | undefined
  /** `https://graph.facebook.com` when left out. */
  readonly baseUrl?: string | undefined
}

export interface SslWirelessOptions extends VendorOptions {
  readonly apiToken: string
  /** The brand of every message; the message's own sender when left out. */
  readonly sid?: string | undefined
  /** For how long the contract says that an id is refused a second time; 0 when left out. */
  readonly tokenMillis?: number | undefined
  /** `https://smsplus.sslwireless.com` when left out. */
  readonly baseUrl?: string | undefined
}

export interface BulkSmsBdOptions extends VendorOptions {
  readonly apiKey: string
  /** The sender of every message; the message's own sender when left out. */
  readonly senderId?: string | undefined
  /** What codes mean where you know better: `{ 1032: "account" }`. */
  readonly codes?: Readonly<Record<number, RefusalClass>> | undefined
  /** `https://bulksmsbd.net` when left out. */
  readonly baseUrl?: string | undefined
}

/** When a vendor is asked what became of a message: from 5 seconds to 10 minutes apart, for a day. */
export interface PollPlan {
  /** From the acceptance to the first question. */
  readonly firstMillis?: number | undefined
  /** Each wait is twice the one before, and never longer than this. */
  readonly longestMillis?: number | undefined
  /** After this time nobody asks any more. */
  readonly endMillis?: number | undefined
}

export interface AlphaSmsOptions extends VendorOptions {
  readonly apiKey: string
  /** The sender of every message; the message's own when left out, the account's when `null`. */
  readonly senderId?: string | null | undefined
  /** Whether `Sent` in a complete report stands for an arrival; `true` when left out. */
  readonly sentIsDelivered?: boolean | undefined
  readonly poll?: PollPlan | undefined
  /** What codes mean where you know better: `{ 421: "account" }`. */
  readonly codes?: Readonly<Record<number, RefusalClass>> | undefined
  /** `https://api.sms.net.bd` when left out. */
  readonly baseUrl?: string | undefined
}

/** What the vendors have in common that are described by data. */
export interface DescribedOptions extends VendorOptions {
  /** The sender of every message; the message's own sender when left out. */
  readonly sender?: string | undefined
  /** Parts of the description that are different for this account. */
  readonly description?: Partial<HttpDescription> | undefined
}

export interface MimSmsOptions extends DescribedOptions {
  /** The e-mail address of the account. */
  readonly userName: string
  readonly apiKey: string
  /** `T` when left out. */
  readonly transactionType?: string | undefined
  /** Needed for advertising. */
  readonly campaignId?: string | undefined
}

export interface GrameenphoneOptions extends DescribedOptions {
  readonly username: string
  readonly password: string
  /** `1` when left out. */
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
  /** Of `sendsms`: `http://127.0.0.1:13013/cgi-bin/sendsms`. */
  readonly url: string
  /** Of the group `sendsms-user`. */
  readonly username: string
  readonly password: string
  /** The sender of every SMS; the message's own sender when left out. */
  readonly from?: string | undefined
  /** The `smsc-id` that has to carry it; Kannel chooses when left out. */
  readonly smsc?: string | undefined
  /** Written to Kannel's access log. */
  readonly account?: string | undefined
  /** How long the centre may try; its own default when left out. */
  readonly validityMinutes?: number | undefined
  /**
   * Signs the addresses of reports, because Kannel signs nothing: 32 random characters of your own. Without
   * it there are no reports, and accepted is delivered.
   */
  readonly callbackSecret?: string | undefined
  /** Where Kannel reports to, when it does not reach the public address: as `callbacks.urls` has it when left out. */
  readonly callbackUrl?: string | undefined
}

export interface SmppOptions extends VendorOptions {
  readonly host: string
  /** 2775 when left out. */
  readonly port?: number | undefined
  /** TLS: with what Node takes for granted, or with options of `tls.connect`. In clear when left out. */
  readonly tls?: boolean | ConnectionOptions | undefined
  /** At most 15 characters. */
  readonly systemId: string
  /** At most 8 characters. */
  readonly password: string
  /** At most 12 characters; empty when left out. */
  readonly systemType?: string | undefined
  /** At most 5 characters; empty when left out. */
  readonly serviceType?: string | undefined
  /**
   * `transceiver` when left out; `pair` binds a receiver and a transmitter, for centres that refuse
   * transceivers. Each bind is one of those that the operator allows.
   */
  readonly bind?: "transceiver" | "pair" | undefined
  /** The sender of every SMS; the message's own sender when left out. */
  readonly from?: string | undefined
  /** How senders of up to 6 digits are declared; `{ ton: 3, npi: 0 }` when left out. */
  readonly shortCode?: { readonly ton: number; readonly npi: number } | undefined
  /** How the parts of a long text are joined; `udh`, a header in each, when left out. */
  readonly joining?: "udh" | "sar" | "payload" | undefined
  /** For which parts of a text a receipt is asked; `every part` when left out. */
  readonly receipts?: "every part" | "first part" | "none" | undefined
  /** How the centre writes ids in its answers and in its receipts; both as text when left out. */
  readonly ids?:
    | {
        readonly answers: "text" | "decimal" | "hexadecimal"
        readonly receipts: "text" | "decimal" | "hexadecimal"
      }
    | undefined
  /**
   * For how long the centre gives an id to no other message, in milliseconds. Centres count in few digits
   * and begin anew after a restart. Receipts have to come within this time to find a message that is final.
   * `@defaultValue 604_800_000`, seven days
   */
  readonly idMillis?: number | undefined
  /** What the operator documents of statuses; it wins over what the specification says. */
  readonly statuses?: Readonly<Record<number, RefusalClass>> | undefined
  /** How long the centre may try, to 99 hours; its own default when left out. */
  readonly validitySeconds?: number | undefined
  /** Most messages that are handed over and not answered; 10 when left out. */
  readonly window?: number | undefined
  /** Most messages in a second, each part a message; no limit when left out. */
  readonly perSecond?: number | undefined
  /** How many messages may wait for their turn; 1,000 when left out. */
  readonly maxQueued?: number | undefined
  /** How many parts are remembered until their receipts come; 100,000 when left out. */
  readonly maxTracked?: number | undefined
  /** How long a message may wait for its turn; 5,000 when left out. */
  readonly queueMillis?: number | undefined
  /** How long an answer may take; 10,000 when left out. */
  readonly answerMillis?: number | undefined
  /** How long a connection and a bind may take, each; 5,000 when left out. */
  readonly connectMillis?: number | undefined
  /** Pause between two questions whether the centre is there; 30,000 when left out. */
  readonly enquireMillis?: number | undefined
  /** Pause before the second attempt to bind, doubled with each that fails; 500 when left out. */
  readonly retryMillis?: number | undefined
  /** Longest pause between two attempts; 60,000 when left out. */
  readonly maxRetryMillis?: number | undefined
  /** How long a dispatch may take in all; 30,000 when left out. */
  readonly timeoutMillis?: number | undefined
}

export interface SmsGateOptions extends VendorOptions {
  /** As the phone's settings show them, or a token that was made with the scope `messages:send`. */
  readonly credentials:
    | { readonly username: string; readonly password: string }
    | { readonly token: string }
  /** Signs the phone's webhooks. Without it none are taken in, and reports are asked for. */
  readonly signingKey?: string | undefined
  /** The phone to use, of several; any of them when left out. */
  readonly deviceId?: string | undefined
  /** 1 to 3; the phone's default when left out. */
  readonly simNumber?: number | undefined
  /** From 5 on: how long the phone may try; for as long as it likes when left out. */
  readonly ttlSeconds?: number | undefined
  /** -128 to 127; from 100 on the phone's own limits are passed over. */
  readonly priority?: number | undefined
  readonly poll?: PollPlan | undefined
  /** For how long the server knows a message by its id; a day when left out. */
  readonly tokenMillis?: number | undefined
  /** `https://api.sms-gate.app/3rdparty/v1` when left out; `http://phone:8080` for a phone in reach. */
  readonly baseUrl?: string | undefined
}

export interface HttpGatewayOptions extends VendorOptions {
  /** How a request is made and what the answers mean. */
  readonly description: HttpDescription
  /** What stands for the description's `secrets`. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  /** What stands for the description's `values`; those that are empty there have to be given. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** The sender of every message; the message's own sender when left out. */
  readonly sender?: string | undefined
}
