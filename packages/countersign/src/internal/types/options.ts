import type { FraudRules, Limits } from "./operations.ts"
import type { AdmissionOptions, InterfaceOptions } from "@countersign/http/mount/MountOptions"
import type { HostPool } from "@countersign/postgres/HostPool"
import type { ProofOptions } from "@countersign/proofs/ProofOptions"
import type { GatewayList, RoutingOptions } from "./gateways.ts"
import type { LoggingOptions, LogRecord } from "./logging.ts"
import type { TracingOptions } from "./tracing.ts"
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { Duration } from "@countersign/core/domain/values/DurationText"
import type { Payment } from "@countersign/core/domain/verifications/Payment"

/**
 * A secret of at least 32 random characters, such as from `openssl rand -hex 32`. With a list, the first secret is used
 * for everything new, and the others are still accepted. Its id follows from its value.
 */
export type Secret = string | ReadonlyArray<string>

/** The values that a text can contain. */
export interface TextInput {
  /** The id of the organization that sends the code. */
  readonly organization: string
  /** The locale of `send`, or the default one, in lower case: `en-us`. */
  readonly locale: string
  /** The channel that carries the text. */
  readonly channel: Channel
  /** The code. It is masked in the text for the log. */
  readonly code: string
  /** How long the code is valid from now on. */
  readonly expirySeconds: number
  /** The masking name, if the sender is a masking name. */
  readonly senderName: string | undefined
  /** The payment that the code approves. The text has to contain its amount and payee. */
  readonly payment?: Payment | undefined
}

/** Lines at the end of an SMS that let phones recognize a code. WhatsApp messages get no such lines. */
export interface TextLines {
  /** A site's domain, `example.com`. Browsers fill the code in on that site only (WebOTP). */
  readonly domain?: string | undefined
  /** The hash of an Android app, from `androidHash`. The app receives the text (SMS Retriever). */
  readonly androidHash?: string | undefined
}

/** A text and its audience: all of them, or an organization's, or a sender's. Its own lines take precedence. */
export interface TextTemplate extends TextLines {
  /** In lower case: `en-us`. */
  readonly locale: string
  /** The id of the organization whose codes have this text. @defaultValue every organization */
  readonly organization?: string | undefined
  /** The masking name that must be the sender. */
  readonly senderName?: string | undefined
  /** Returns the text. The same input must give the same text. */
  readonly text: (input: TextInput) => string
}

/** One function for all texts, a template for each audience, or the standard texts with your lines. */
export type Texts = TextLines &
  (
    | {
        /** Locales of `render`. The first one is the default. */
        readonly locales: readonly [string, ...Array<string>]
        /** Returns the text of a message. */
        readonly render: (input: TextInput) => string
      }
    | {
        /** Texts by locale, organization and sender. The first one's locale is the default. */
        readonly templates?: ReadonlyArray<TextTemplate> | undefined
      }
  )

/** A problem with a text, from `lintTexts`. */
export interface TextWarning {
  /** The locale of the text. */
  readonly locale: string
  /** The organization of the text; `undefined`: every one. */
  readonly organization: string | undefined
  /** The masking name of the text; `undefined`: every sender. */
  readonly senderName: string | undefined
  /** The rule that the text breaks: `segments`, `other-number` and so on. */
  readonly rule: string
  /** A sentence for the author of the text. */
  readonly message: string
  /** A text with the problem. Its code is made up. */
  readonly sample: string
}

/** The values that a price can depend on. */
export interface PriceItem {
  /** The id of the organization that pays. */
  readonly organization: string
  /** The channel of the message. */
  readonly channel: Channel
  /** Number of SMS segments of the text; 1 on WhatsApp. */
  readonly segments: number
}

/** The prices of messages, in decimals such as `"0.50"`. */
export interface Prices {
  /** A decimal for an SMS. @defaultValue `"0"` */
  readonly sms?: string | undefined
  /** A decimal for a WhatsApp message. @defaultValue `"0"` */
  readonly whatsapp?: string | undefined
  /** Whether an SMS is charged by message or by segment. @defaultValue `message` */
  readonly per?: "message" | "segment" | undefined
  /** Returns the price of a message. Replaces `sms`, `whatsapp` and `per`. */
  readonly of?: ((item: PriceItem) => string) | undefined
  /** ISO 4217. @defaultValue `BDT` */
  readonly currency?: string | undefined
}

/** A phone number that behaves like any other but never receives a message. */
export interface TestNumber {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** 4 to 15 digits. */
  readonly code: string
  /** The outcome of its codes. @defaultValue `delivered` */
  readonly outcome?: "delivered" | "undelivered" | "not-on-whatsapp" | "failed" | undefined
}

/** Phone numbers that receive no message and have fixed outcomes. */
export interface TestNumbers {
  /** Phone numbers with a fixed code each. */
  readonly numbers: ReadonlyArray<TestNumber>
  /** Whether these numbers are exempt from limits. @defaultValue `false` */
  readonly bypassLimits?: boolean | undefined
  /** Allows `numbers` in production, except under the profile `nist`. @defaultValue `false` */
  readonly allowInProduction?: boolean | undefined
}

/** When to also send a WhatsApp code by SMS. The SMS has the same code and is a message of its own. */
export interface FallbackOptions {
  /** Whether requests without a channel start on WhatsApp. @defaultValue `false` */
  readonly whatsappFirst?: boolean | undefined
  /**
   * How long to wait for a delivery report: 1 second to 10 minutes. A rejection triggers the SMS at once.
   *
   * @defaultValue `"30 seconds"`
   */
  readonly reportWithin?: Duration | undefined
}

/** How vendors report the outcomes of messages. */
export interface CallbackOptions {
  /**
   * The address at which vendors reach this app: `https://sms.example.com`. Each gateway reports to `/callbacks/<name>`
   * below it. Signatures are checked against this address.
   */
  readonly publicUrl: string
  /** The base path if the mount does not give one. @defaultValue `/callbacks` below the path of `publicUrl` */
  readonly basePath?: string | undefined
  /** Maximum size of a body in bytes. @defaultValue 3,145,728 */
  readonly maxBodyBytes?: number | undefined
  /** Maximum number of requests under way. @defaultValue 64 */
  readonly maxRequests?: number | undefined
}

/** Options of the HTTP interface. */
export interface HttpOptions extends InterfaceOptions, Omit<AdmissionOptions, "shutdownTimeout"> {}

/** The tables of the engine. No member has an effect on `"memory"`. */
export interface Tables {
  /** The schema that holds the tables. @defaultValue `countersign` */
  readonly schema?: string | undefined
  /**
   * Whether a start updates the tables. With `false`, it fails on outdated tables.
   * @defaultValue `true`
   */
  readonly migrate?: boolean | undefined
  /** Partitions of the tables of a new schema, by organization; 2 to 1,024. @defaultValue no partitions */
  readonly partitions?: number | undefined
  /**
   * Whether changes of several organizations may share a transaction. `organization`: no, for a database that is
   * sharded by it.
   *
   * @defaultValue `shared`
   */
  readonly commits?: "shared" | "organization" | undefined
  /**
   * Encrypts the phone numbers in the database. The first secret encrypts, and all decrypt. All processes on one
   * database must have the same secrets.
   *
   * @defaultValue numbers are stored in plain text
   */
  readonly phoneNumberSecret?: Secret | undefined
}

/** A PostgreSQL server, or an embedded database if `url` is `undefined`. */
export interface ServerDatabase extends Tables {
  /** `postgres://user:password@host:port/database`, or `memory`. */
  readonly url: string | undefined
  /** Maximum number of connections of this process, at least 5. @defaultValue 10 */
  readonly maxConnections?: number | undefined
  readonly pool?: never
  readonly folder?: never
}

/** Connections that you have opened, which the engine shares with your own statements. */
export interface PoolDatabase extends Tables {
  /**
   * A `Pool` of `pg` with at least 2 connections, or an object with `query` and `transaction`, such as PGlite. The
   * engine never ends it.
   */
  readonly pool: HostPool
  readonly url?: never
  readonly folder?: never
  readonly maxConnections?: never
}

/** An embedded database. */
export interface EmbeddedDatabase extends Tables {
  /** The folder of the database. One process can open it at a time. */
  readonly folder: string
  readonly url?: never
  readonly pool?: never
  readonly maxConnections?: never
}

/**
 * The store of the engine: the address of a PostgreSQL server, `"memory"`, or an object with the address, a pool of
 * yours or a folder. `"memory"` is for tests and demos: it writes nothing to a disk and loses all data at `dispose`.
 * Production refuses it.
 */
export type DatabaseOptions = string | ServerDatabase | PoolDatabase | EmbeddedDatabase

/** Options of verifications and their codes. None of them applies to messages. */
export interface VerificationOptions {
  /**
   * The channels that may carry codes. A single one is the default of `verifications.send`. @defaultValue both
   */
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Sends codes by SMS that WhatsApp has not delivered. `undefined`: no fallback. */
  readonly fallback?: FallbackOptions | undefined
  /**
   * `nist`: no limit is looser than NIST SP 800-63B allows, a consumed verification is not checked again, and
   * production has no test numbers.
   *
   * @defaultValue `standard`
   */
  readonly profile?: "standard" | "nist" | undefined
  /** Your own texts, and the lines from which phones fill codes in. @defaultValue texts in English and Bangla */
  readonly texts?: Texts | undefined
  /** Fraud rules for the codes of each organization; `undefined` turns fraud detection off. */
  readonly fraud?: FraudRules | undefined
  /**
   * Signs a proof of each consumed verification. `undefined`: no proofs.
   */
  readonly proofs?: ProofOptions | undefined
}

/** The clock of an engine in memory. Time passes as usual, and `advance` adds to it. */
export interface TestClock {
  /** The current time of the engine. */
  readonly now: () => Date
  /**
   * Moves the clock forward. Resolves when the work that is now due has started, such as refunding a message.
   * Throws a `ConfigurationError` for text that is not a duration.
   */
  readonly advance: (by: Duration) => Promise<void>
}

/** Records that the engine keeps. All processes on one database must use the same values. */
export interface RecordOptions {
  /** Whether events are stored, for `events.list` and `events.follow`. @defaultValue `true` */
  readonly events?: boolean | undefined
  /** Whether administrative changes are audited, for `audit.list`. @defaultValue `true` */
  readonly audit?: boolean | undefined
  /** Whether `totals` are counted. @defaultValue `true` */
  readonly totals?: boolean | undefined
  /** Whether the log keeps the texts of messages. @defaultValue `true` */
  readonly bodies?: boolean | undefined
  /** Whether refused calls are kept, for `refusals.list`. @defaultValue `true` */
  readonly refusals?: boolean | undefined
  /** Whether refused calls raise the event `calls_refused`. @defaultValue `false` */
  readonly refusalEvents?: boolean | undefined
}

/** How the events of organizations are sent to their webhooks. */
export interface WebhookOptions {
  /** Whether this process delivers. With `false`, other processes on the database must. @defaultValue `true` */
  readonly deliver?: boolean | undefined
  /** Whether URLs may have `http`, which sends the events unencrypted. @defaultValue `false` */
  readonly allowHttp?: boolean | undefined
  /**
   * Whether receivers may be in private networks. Only for receivers of your own: the URLs lead into your network.
   * @defaultValue `false`
   */
  readonly allowPrivateAddresses?: boolean | undefined
}

/** How long rows are kept. A background round drops older ones. */
export interface RetentionOptions {
  /** Messages of the log. @defaultValue without limit */
  readonly messages?: Duration | undefined
  /** Verifications, with their numbers, purposes and metadata. @defaultValue without limit */
  readonly verifications?: Duration | undefined
  /** The findings of `fraud`. @defaultValue as `verifications` */
  readonly findings?: Duration | undefined
  /** Totals. Keep them longer than messages. @defaultValue without limit */
  readonly totals?: Duration | undefined
  /** The audit. @defaultValue without limit */
  readonly audit?: Duration | undefined
  /** The events of the event log. @defaultValue as `messages` */
  readonly events?: Duration | undefined
  /** Refused calls, dropped once a day. @defaultValue as `verifications`, at most `"90 days"` */
  readonly refusals?: Duration | undefined
}

/** Options of `createCountersign`. `Name`: the names of the gateways. */
export interface CountersignOptions<Name extends string = string> {
  /**
   * Hashes and encrypts codes: at least 32 random characters, stored outside the database, the same for all processes.
   * With a list, the first secret hashes new codes, and checks accept codes of all. Required in production and with a
   * database server.
   *
   * @defaultValue generated, in the file `secret` of the embedded database
   */
  readonly secret?: Secret | undefined
  /**
   * Where the engine stores its state: `process.env.DATABASE_URL`, `"memory"`, or an object. Required in production.
   *
   * @defaultValue an embedded database in the folder `.countersign`
   */
  readonly database?: DatabaseOptions | undefined
  /**
   * A list, whose first gateway that accepts a message carries it, or a gateway for each channel.
   *
   * @defaultValue a gateway that prints messages, in development only
   */
  readonly gateways?: GatewayList<Name> | undefined
  /** Which gateway carries which messages, and what happens when a gateway fails. */
  readonly routing?: RoutingOptions<NoInfer<Name>> | undefined
  /** Options of verifications and their codes. */
  readonly verifications?: VerificationOptions | undefined
  /** How vendors report the outcomes of messages. `undefined`: reports are not received. */
  readonly callbacks?: CallbackOptions | undefined
  /**
   * Whether the organization `default` exists. `false`: calls without `organization(id)` are refused.
   * @defaultValue `true`
   */
  readonly defaultOrganization?: boolean | undefined
  /** The default sender of the default organization, by channel. @defaultValue `default` */
  readonly senders?: { readonly [K in Channel]?: string | undefined } | undefined
  /** With prices, an organization must top up before its first message. @defaultValue messages are free */
  readonly prices?: Prices | undefined
  /**
   * The limits of organizations without limits of their own.
   */
  readonly limits?: Limits | undefined
  /** The countries that are served, ISO 3166 alpha-2: `["BD"]`. @defaultValue all countries */
  readonly countries?: ReadonlyArray<string> | undefined
  /** Phone numbers with a fixed code. */
  readonly testNumbers?: TestNumbers | undefined
  /** Time after which a message with an open outcome is refunded. @defaultValue `"1 day"` */
  readonly settleAfter?: Duration | undefined
  /** Records that the engine keeps. All processes on one database must use the same values. */
  readonly records?: RecordOptions | undefined
  /** How the events of organizations are sent to their webhooks. */
  readonly webhooks?: WebhookOptions | undefined
  /** How long rows are kept: `{ messages: "90 days" }`. @defaultValue without limit, except for refused calls */
  readonly retention?: RetentionOptions | undefined
  /** The HTTP interface: `fetch`, `handle` and `listener`. */
  readonly http?: HttpOptions | undefined
  /** How long `dispose()` waits for requests, reports and calls under way. @defaultValue `"20 seconds"` */
  readonly shutdownTimeout?: Duration | undefined
  /** From `createTestClock`; requires `database: "memory"`. @defaultValue the clock of the system */
  readonly clock?: TestClock | undefined
  /**
   * Whether this is production, which refuses a database in memory, a generated secret, secrets from documents, a
   * missing gateway, a test clock, and test numbers.
   *
   * @defaultValue whether `NODE_ENV` is `production`
   */
  readonly production?: boolean | undefined
  /** Records spans. @defaultValue none */
  readonly tracing?: TracingOptions | undefined
  /** Receives background problems and the notices of a start. @defaultValue writes to the console */
  readonly log?: ((record: LogRecord) => void) | undefined
  /** Which lines are written, and how. */
  readonly logging?: LoggingOptions | undefined
}
