/** The description of a vendor's HTTP interface. It is plain data, so it can be read from JSON. */
import type { Duration } from "@countersign/core/domain/values/DurationText"
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { RefusalClass } from "./VendorOptions.ts"

/** A JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<Json>
  | { readonly [key: string]: Json }

/** A request. Strings may contain placeholders such as `{to}`; `{{` and `}}` stand for braces. */
export interface HttpRequestDescription {
  /** @defaultValue `POST` */
  readonly method?: "POST" | "GET" | "PUT" | undefined
  /** Path and query may contain placeholders. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Adds an `Authorization` header for HTTP basic authentication. */
  readonly basic?: { readonly username: string; readonly password: string } | undefined
  readonly body?:
    | { readonly form: Readonly<Record<string, string>> }
    | { readonly json: Json }
    | { readonly text: string; readonly contentType: string }
    | undefined
}

/** A condition on a response. All members that are present must hold. */
export interface HttpCondition {
  /** The status of the response. */
  readonly status?: number | ReadonlyArray<number> | undefined
  /**
   * A path into the JSON, `data.items[0].status`. Without `equals` and `matches`, the value must exist and not
   * be empty.
   */
  readonly path?: string | undefined
  /** The value at the path, compared as text. */
  readonly equals?: string | number | boolean | ReadonlyArray<string | number | boolean> | undefined
  /** A regular expression for the value at the path, or for the whole response. It ignores case. */
  readonly matches?: string | undefined
}

/** One condition, or several that must all hold. */
export type HttpWhen = HttpCondition | ReadonlyArray<HttpCondition>

/** The location of a value in a response: a path into its JSON, or the only group of a regular expression. */
export type HttpSource = { readonly path: string } | { readonly pattern: string }

/** The meaning of a response. `recipient`, `content`, `sender` and `account` are reasons of a rejection. */
export type HttpMeaning = "accepted" | "delivered" | "notSent" | RefusalClass

/** How to ask the vendor for the outcome of a message. */
export interface HttpPoll {
  /** Contains `{id}`, the vendor's id of the message, or `{ref}` or `{token}`. */
  readonly request: HttpRequestDescription
  /** The first condition that holds decides. If none holds, the outcome stays open. */
  readonly statuses: ReadonlyArray<{
    readonly when: HttpWhen
    /** All but `accepted` are final. */
    readonly status: "accepted" | "delivered" | "undelivered" | "failed" | "rejected"
  }>
  readonly message?: HttpSource | undefined
  /**
   * The documented fields of the response that are kept with each report, by name. Values other than words, ids,
   * times and numbers of at most six digits are not kept.
   */
  readonly evidence?: Readonly<Record<string, HttpSource>> | undefined
  /** Time before the first request, at least 1 second. Each wait is twice the one before. @defaultValue `"5 seconds"` */
  readonly first?: Duration | undefined
  /** Longest wait. @defaultValue `"10 minutes"` */
  readonly longest?: Duration | undefined
  /** Time after which polling ends. @defaultValue `"1 day"` */
  readonly end?: Duration | undefined
}

export interface HttpDescription {
  /** The gateway's name. @defaultValue `http` */
  readonly name?: string | undefined
  /** @defaultValue `sms` only */
  readonly channels?: ReadonlyArray<Channel> | undefined
  readonly request: HttpRequestDescription
  /** The format of `{to}`: `plus` is `+8801…`, `digits` is `8801…`, `national` is `01…`. @defaultValue `digits` */
  readonly recipient?: "plus" | "digits" | "national" | undefined
  /** Required for `{toNational}`: `{ "code": "880", "trunk": "0" }`. */
  readonly country?: { readonly code: string; readonly trunk: string } | undefined
  /** The values of `{encoding}`, for texts in GSM-7 and for all others. */
  readonly encodings?: { readonly gsm7: string; readonly unicode: string } | undefined
  /** The names of placeholders that are filled with secrets. */
  readonly secrets?: ReadonlyArray<string> | undefined
  /** Your own placeholders with their defaults, which the options can replace. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** The meaning of responses. The first condition that holds decides. If none holds, the outcome is unknown. */
  readonly outcomes: ReadonlyArray<{
    readonly when: HttpWhen
    readonly means: HttpMeaning
    /** For `throttled`. */
    readonly retryAfter?: Duration | undefined
  }>
  /** The vendor's id of the message. @defaultValue the token */
  readonly id?: HttpSource | undefined
  /** The number of segments that the vendor counts. */
  readonly segments?: HttpSource | undefined
  /** The vendor's error message for a rejection. */
  readonly message?: HttpSource | undefined
  /** The vendor's code of the error. */
  readonly code?: HttpSource | undefined
  /** How long the vendor refuses a repeated `{token}`. @defaultValue `"0 seconds"` */
  readonly tokenLifetime?: Duration | undefined
  /** How long the vendor does not reuse an `id`. @defaultValue unlimited */
  readonly idLifetime?: Duration | undefined
  readonly poll?: HttpPoll | undefined
  /** Longest time that a dispatch may take, up to 2 minutes. @defaultValue `"15 seconds"` */
  readonly timeout?: Duration | undefined
}
