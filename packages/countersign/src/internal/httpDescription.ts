/**
 * What can be said of a vendor with an HTTP interface. It may be read from JSON: all of it is data.
 */
import type { Channel } from "./types.ts"

/** What JSON can say. */
export type Json =
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<Json>
  | { readonly [key: string]: Json }

/** How a request is made. Texts may have placeholders such as `{to}`; `{{` and `}}` stand for braces. */
export interface HttpRequestDescription {
  /** `POST` when left out. */
  readonly method?: "POST" | "GET" | "PUT" | undefined
  /** Placeholders may stand in its path and its query. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Adds the header of HTTP's basic authentication. */
  readonly basic?: { readonly username: string; readonly password: string } | undefined
  readonly body?:
    | { readonly form: Readonly<Record<string, string>> }
    | { readonly json: Json }
    | { readonly text: string; readonly contentType: string }
    | undefined
}

/** All that is given has to hold. */
export interface HttpCondition {
  /** The status of the answer. */
  readonly status?: number | ReadonlyArray<number> | undefined
  /** Points into the JSON, `data.items[0].status`. Alone: there is something that is not empty. */
  readonly path?: string | undefined
  /** What stands at the path, as text. */
  readonly equals?: string | number | boolean | ReadonlyArray<string | number | boolean> | undefined
  /** A pattern for what stands at the path, or for the whole answer. Capitals do not matter. */
  readonly matches?: string | undefined
}

/** One condition, or several that all have to hold. */
export type HttpWhen = HttpCondition | ReadonlyArray<HttpCondition>

/** Where something stands in an answer: in its JSON, or in the one group of a pattern. */
export type HttpSource = { readonly path: string } | { readonly pattern: string }

/** What an answer means. `recipient`, `content`, `sender` and `account` are refusals. */
export type HttpMeaning =
  | "accepted"
  | "delivered"
  | "recipient"
  | "content"
  | "sender"
  | "account"
  | "throttled"
  | "notSent"
  | "unknown"

/** How the vendor is asked what became of a message. */
export interface HttpPoll {
  /** Has `{id}`, the vendor's name for the message, or `{ref}` or `{token}`. */
  readonly request: HttpRequestDescription
  /** The first that fits decides; where none does, nothing was learned. */
  readonly statuses: ReadonlyArray<{
    readonly when: HttpWhen
    /** All but `accepted` are last words. */
    readonly status: "accepted" | "delivered" | "undelivered" | "failed" | "rejected"
  }>
  readonly message?: HttpSource | undefined
  /** 5 when left out. Each wait is twice the one before. */
  readonly firstSeconds?: number | undefined
  /** 600 when left out. */
  readonly longestSeconds?: number | undefined
  /** 86,400 when left out. */
  readonly endSeconds?: number | undefined
}

export interface HttpDescription {
  /** The gateway's name; `http` when left out. */
  readonly name?: string | undefined
  /** `sms` alone when left out. */
  readonly channels?: ReadonlyArray<Channel> | undefined
  readonly request: HttpRequestDescription
  /** How `{to}` is written: `+8801…`, `8801…` (when left out) or, for the country, `01…`. */
  readonly recipient?: "plus" | "digits" | "national" | undefined
  /** Needed for `{toNational}`. `{ "code": "880", "trunk": "0" }` */
  readonly country?: { readonly code: string; readonly trunk: string } | undefined
  /** What `{encoding}` is for a text in GSM-7, and for any other. */
  readonly encodings?: { readonly gsm7: string; readonly unicode: string } | undefined
  /** Placeholders that are filled with secrets. */
  readonly secrets?: ReadonlyArray<string> | undefined
  /** Placeholders of your own, with what stands there unless the options say otherwise. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** What answers mean. The first that fits decides; where none does, the outcome is unknown. */
  readonly outcomes: ReadonlyArray<{
    readonly when: HttpWhen
    readonly means: HttpMeaning
    /** For `throttled`. */
    readonly retryAfterSeconds?: number | undefined
  }>
  /** The vendor's name for the message; the token when left out. */
  readonly id?: HttpSource | undefined
  /** How many parts it counts. */
  readonly segments?: HttpSource | undefined
  /** The vendor's words for a refusal. */
  readonly message?: HttpSource | undefined
  /** For how long the vendor refuses a `{token}` that it has seen; 0 when left out. */
  readonly dedupeSeconds?: number | undefined
  /** For how long the vendor gives an `id` to no other message. `@defaultValue` for ever */
  readonly idSeconds?: number | undefined
  readonly poll?: HttpPoll | undefined
  /** 15,000 when left out. */
  readonly timeoutMillis?: number | undefined
}
