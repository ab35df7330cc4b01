import type { CallOptions, KeyedCall } from "./calls.ts"
import type { InvalidRequest } from "./errors.ts"
import type { Answered } from "./exchange.ts"
import type { JsonObject } from "./json.ts"
import type { Reader } from "./readError.ts"

/** `In` is the input of a call, `A` its result. */
export interface Endpoint<In extends CallOptions, A, E> {
  readonly method: "GET" | "POST"
  readonly path: string
  /** The fields of the body, or of the query of a GET. */
  readonly wireNames: { readonly [K in Exclude<keyof In, keyof KeyedCall>]: string }
  /** The fields that are durations. The service reads whole seconds. */
  readonly durations?: ReadonlyArray<string>
  /** Whether the endpoint recognizes a repeat by its key. */
  readonly isKeyed?: boolean
  readonly success: (data: unknown, answered: Answered, body: JsonObject) => A | undefined
  /** The errors of this endpoint only. Those with more members come first. */
  readonly errors: ReadonlyArray<Reader<NoInfer<E> | InvalidRequest>>
}

/** An id in a path. Callers in JavaScript can pass any value. */
export const segment = (id: string): string => encodeURIComponent(String(id).toWellFormed())
