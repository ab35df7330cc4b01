/**
 * What a host says about its engine.
 */
import type { Gateways } from "./gatewayTypes.ts"
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
  readonly locale: string
  readonly channel: Channel
  /** The code; masked where the text is for the log. */
  readonly code: string
  readonly expirySeconds: number
  /** The masking name when one sends. */
  readonly brandName: string | undefined
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
  /** How many of them with one key; 1,024 when left out. */
  readonly maxRequestsPerKey?: number | undefined
  /** How long the end waits for requests that are under way; 20,000 when left out. */
  readonly graceMillis?: number | undefined
}

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. Left out: an embedded database in `dataDir`. */
  readonly database?: string | undefined
  /** The schema that holds the tables; `countersign` when left out. */
  readonly schema?: string | undefined
  /** Connections to the server that this process may open; 10 when left out, and at least 5. */
  readonly maxConnections?: number | undefined
  /** The folder of the embedded database; `.countersign` when left out. One process at a time. */
  readonly dataDir?: string | undefined
}

export interface CountersignOptions extends DatabaseOptions {
  /** Whether the tables are brought up to date at the start; they are when left out. */
  readonly migrate?: boolean | undefined
  /**
   * The secret that codes are hashed with, 32 characters or more, which is not in the database. Several
   * while one is replaced by another: new codes take the first, checks accept all.
   */
  readonly pepper: string | ReadonlyArray<Pepper>
  /** Who carries messages. Left out, in development only: they are printed. */
  readonly gateways?: Gateways | undefined
  /** What the gateway is told to send from, where a request does not say. */
  readonly senders?: { readonly [K in Channel]?: string | undefined } | undefined
  /**
   * What a message costs, as a decimal such as `"0.50"`. Left out, messages cost nothing and no balance is
   * needed; with prices, `account.topUp` comes before the first message.
   */
  readonly prices?:
    | ({ readonly [K in Channel]?: string | undefined } & {
        /** ISO 4217; BDT when left out. */
        readonly currency?: string | undefined
      })
    | undefined
  /**
   * For every organization that has none of its own. The one that hosts with a single organization have
   * begins without `checksPerOrganization`, unless it is given here: all their users check in its name.
   */
  readonly limits?: Limits | undefined
  /** Texts of your own, for the languages that they are for. The first is the default. */
  readonly texts?:
    | {
        readonly locales: readonly [string, ...Array<string>]
        readonly render: (input: TextInput) => string
      }
    | undefined
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
      }
    | undefined
  readonly http?: HttpOptions | undefined
  /** What goes wrong behind the scenes, and the notice of the embedded database; the console when left out. */
  readonly log?: ((level: "info" | "warn" | "error", text: string) => void) | undefined
}
