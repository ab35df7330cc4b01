/**
 * What a host says about its engine.
 */
import type { AnyGateway, Gateways, RoutingOptions } from "./gatewayTypes.ts"
import type { TestClock } from "./testClock.ts"
import type { Channel, Limits } from "./types.ts"

/** A secret that codes are hashed with, and a name to find it by. */
export interface Pepper {
  /** 1 to 32 characters; never used again for another secret. */
  readonly id: string
  /** At least 32 characters of high entropy. */
  readonly secret: string
}

/** What a text may mention. */
export interface TextInput {
  readonly organization: string
  readonly locale: string
  readonly channel: Channel
  /** The code; masked where the text is for the log. */
  readonly code: string
  readonly expirySeconds: number
  /** The masking name when one sends. */
  readonly brandName: string | undefined
}

/** Lines at the end of an SMS by which phones know that a code is for them. None is added on WhatsApp. */
export interface TextLines {
  /** A site's domain, `example.com`: browsers fill the code in on that site (WebOTP), and on no other. */
  readonly domain?: string | undefined
  /** Of an Android app, from `androidHash`: the app is handed the text (SMS Retriever). */
  readonly androidHash?: string | undefined
}

/** A text, and whom it is for: everybody, where nobody is named. The lines are those of all texts unless it has its own. */
export interface TextTemplate extends TextLines {
  /** Lower case: `en-us`. */
  readonly locale: string
  readonly organization?: string | undefined
  /** The masking name that has to be the sender. */
  readonly brandName?: string | undefined
  /** Writes it. The same input gives the same text. */
  readonly text: (input: TextInput) => string
}

/** One function for all texts, or a template for each audience, or the standard texts with lines of yours. */
export type Texts = TextLines &
  (
    | {
        /** The first is the default. */
        readonly locales: readonly [string, ...Array<string>]
        /** Returns the text of a message. */
        readonly render: (input: TextInput) => string
      }
    | {
        /**
         * The locale of the first is the default, and each locale needs a text for everybody. The text of
         * organization and sender goes first, then the organization's, then the sender's.
         */
        readonly templates?: ReadonlyArray<TextTemplate> | undefined
      }
  )

/** What is to be said of a text, from `lintTexts`. */
export interface TextWarning {
  readonly locale: string
  readonly organization: string | undefined
  readonly brandName: string | undefined
  /** Which rule it breaks: `segments`, `other-number` and so on. */
  readonly rule: string
  /** A sentence for whoever wrote the text. */
  readonly message: string
  /** A text that it is true of. The code is made up. */
  readonly sample: string
}

/** What a price may depend on. */
export interface PriceItem {
  readonly organization: string
  readonly channel: Channel
  /** SMS that the text takes; 1 on WhatsApp. */
  readonly segments: number
}

/** What messages cost, in decimals such as `"0.50"`. */
export interface Prices {
  /** Nothing when left out. */
  readonly sms?: string | undefined
  /** Nothing when left out. */
  readonly whatsapp?: string | undefined
  /** Whether an SMS costs by the message, however long, or by the segment; `message` when left out. */
  readonly per?: "message" | "segment" | undefined
  /** In place of the above: what a message costs that depends on more than its channel. */
  readonly of?: ((item: PriceItem) => string) | undefined
  /** ISO 4217; BDT when left out. */
  readonly currency?: string | undefined
}

/** Watches codes that nobody types in, by the first digits of their numbers. */
export interface FraudRules {
  /** Digits from the country's code on that make a prefix, 1 to 8; 5 when left out. */
  readonly prefixDigits?: number | undefined
  /** How long a window is, to 31 days; 3,600 when left out. All nodes have to agree. */
  readonly windowSeconds?: number | undefined
  /** Most codes for a prefix in a window; as many as come when left out. */
  readonly maxSent?: number | undefined
  /** Codes from which on the share of verified ones counts; 100 when left out. */
  readonly minSent?: number | undefined
  /** The share that has to be verified, 0 to 1; 0, which asks for none, when left out. */
  readonly minConversion?: number | undefined
  /** Whether codes for a suspicious prefix are refused, or sent all the same: `record` when left out. */
  readonly action?: "record" | "deny" | undefined
}

/** A number that takes part in everything and is never sent anything. */
export interface TestNumber {
  /** E.164 with its plus; it has to be one that is served. */
  readonly phoneNumber: string
  /** 4 to 15 digits. Whoever knows it can verify the number. */
  readonly code: string
  /** What becomes of its codes; `delivered` when left out. */
  readonly outcome?: "delivered" | "undelivered" | "not-on-whatsapp" | "failed" | undefined
}

/** Phone numbers that receive no message and have fixed outcomes. */
export interface TestNumbers {
  readonly numbers: ReadonlyArray<TestNumber>
  /** Lifts the limits of these numbers; not when left out. */
  readonly bypassLimits?: boolean | undefined
  /** Whether real users are served here; whether `NODE_ENV` is `production` when left out. */
  readonly production?: boolean | undefined
  /** Without it, no number may be named in production. */
  readonly allowInProduction?: boolean | undefined
}

/** When a code that was to arrive over WhatsApp is sent by SMS as well: the same code, in a message of its own. */
export interface FallbackOptions {
  /** Whether requests that name no channel begin on WhatsApp; not when left out. */
  readonly whatsappFirst?: boolean | undefined
  /** How long a report of arrival is waited for, 1 to 600; 30 when left out. A refusal is not waited for. */
  readonly reportWithinSeconds?: number | undefined
}

/** How vendors report what became of messages. */
export interface CallbackOptions {
  /**
   * The address under which vendors reach this app: `https://sms.example.com`. Each gateway reports to
   * `/callbacks/<name>` below it. Signatures are checked against it, whatever a request says of itself.
   */
  readonly publicUrl: string
  /** Where it is when the mount does not say; `/callbacks` below the path of `publicUrl` when left out. */
  readonly basePath?: string | undefined
  /** Largest body that is read; 3,145,728 when left out. */
  readonly maxBodyBytes?: number | undefined
  /** How many may be under way before others are answered 503; 64 when left out. */
  readonly maxRequests?: number | undefined
}

/** The HTTP interface. */
export interface HttpOptions {
  /** Where it is when the mount does not say; `/api/v2` when left out. */
  readonly basePath?: string | undefined
  /** Addresses and CIDR blocks of your own proxies, which are believed about `X-Forwarded-For`. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** Lets allow lists guard every endpoint, not only `POST /messages`. */
  readonly guardAllEndpoints?: boolean | undefined
  /** Largest body that is read; 65,536 when left out. */
  readonly maxBodyBytes?: number | undefined
  /** Whether `/openapi.json` and `/docs` are answered; they are when left out. */
  readonly documentation?: boolean | undefined
  /** How many requests may be under way before others are answered 503; 4,096 when left out. */
  readonly maxRequests?: number | undefined
  /**
   * How many of them with one key. Requests without a key, and with keys that have not authenticated on this
   * node, share one bound of the same size.
   *
   * @defaultValue 1,024
   */
  readonly maxRequestsPerKey?: number | undefined
  /**
   * How long `dispose` waits for requests, reports and calls of the promise API under way, in milliseconds.
   *
   * @defaultValue 20,000
   */
  readonly graceMillis?: number | undefined
}

/** Where the engine stores its state. */
export interface DatabaseOptions {
  /**
   * `postgres://user:password@host:port/database`, or `memory`: nothing is written to a disk, and all of it
   * ends with `dispose`, for tests and demos. Production refuses `memory`.
   *
   * @defaultValue an embedded database in `dataDir`
   */
  readonly database?: string | undefined
  /** The schema that holds the tables; `countersign` when left out. */
  readonly schema?: string | undefined
  /**
   * Into how many partitions the tables of a new schema are split, by organization; 2 to 1,024. They are
   * not split when left out.
   */
  readonly partitions?: number | undefined
  /** Connections to the server that this process may open; 10 when left out, and at least 5. */
  readonly maxConnections?: number | undefined
  /** The folder of the embedded database; `.countersign` when left out. One process at a time. */
  readonly dataDir?: string | undefined
}

/** Options of `createCountersign`. */
export interface CountersignOptions extends DatabaseOptions {
  /** Whether the tables are brought up to date at the start; they are when left out. */
  readonly migrate?: boolean | undefined
  /**
   * Whose changes may share a transaction: `shared`, everybody's, when left out. With `organization` none
   * touches two, as a database wants that is split by them.
   */
  readonly commits?: "shared" | "organization" | undefined
  /**
   * The secret that codes are hashed with: 32 random characters or more, kept outside the database and the
   * same for all processes on it. With a list, new codes take the first secret, and checks accept all.
   * Required in production and with a database server.
   *
   * @defaultValue a secret of its own for the embedded database, kept in `dataDir` in the file `pepper` with
   * mode 0600; a new secret for each engine with `database: "memory"`
   */
  readonly pepper?: string | ReadonlyArray<Pepper> | undefined
  /**
   * Who carries messages: a list, of which each message goes to the first that takes it, or one for each
   * channel. Those of vendors are in `countersign/gateways`. Left out, in development only: messages are
   * printed.
   */
  readonly gateways?: Gateways | ReadonlyArray<AnyGateway> | undefined
  /** Which gateway carries what, and what happens when one fails. */
  readonly routing?: RoutingOptions | undefined
  /** Sends codes by SMS that WhatsApp has not delivered; nothing does when left out. Messages stay what they are. */
  readonly fallback?: FallbackOptions | undefined
  /** Where vendors report what became of messages. Without it, they do not. */
  readonly callbacks?: CallbackOptions | undefined
  /** What the gateway is told to send from, where a request does not say. */
  readonly senders?: { readonly [K in Channel]?: string | undefined } | undefined
  /**
   * What messages cost. Left out, they cost nothing and no balance is needed; with prices, `account.topUp`
   * comes before the first message.
   */
  readonly prices?: Prices | undefined
  /**
   * For every organization that has none of its own. The one that hosts with a single organization have
   * begins without `checksPerOrganization`, unless it is given here: all their users check in its name.
   */
  readonly limits?: Limits | undefined
  /** Texts of your own, and what phones fill codes in from. English and Bangla when left out. */
  readonly texts?: Texts | undefined
  /** The countries that are served, ISO 3166 alpha-2: `["BD"]`. All when left out. */
  readonly countries?: ReadonlyArray<string> | undefined
  /** What is looked for in the codes of each organization; nothing when left out. */
  readonly fraud?: FraudRules | undefined
  /** Numbers with a code that is always the same, for reviewers of app stores and for tests. */
  readonly testNumbers?: TestNumbers | undefined
  /**
   * How long the outcome of a message may stay open until its price is given back, in seconds; a day when
   * left out.
   */
  readonly settleAfterSeconds?: number | undefined
  /** How many days messages and requests are kept; for ever when left out. */
  readonly retention?:
    | {
        readonly messagesDays?: number | undefined
        readonly verificationsDays?: number | undefined
        /** Findings of `fraud`; as long as requests when left out. */
        readonly findingsDays?: number | undefined
      }
    | undefined
  readonly http?: HttpOptions | undefined
  /**
   * A clock that tests move, from `createTestClock`; with `database: "memory"` only. Production refuses it.
   *
   * @defaultValue the clock of the system
   */
  readonly clock?: TestClock | undefined
  /** What goes wrong behind the scenes, and the notice of the embedded database; the console when left out. */
  readonly log?: ((level: "info" | "warn" | "error", text: string) => void) | undefined
}
