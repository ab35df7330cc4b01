import type { InvalidRequest } from "./errors.ts"
import type { Answered } from "./exchange.ts"
import type { JsonObject } from "./json.ts"
import type { Reader } from "./refusals.ts"
import { readersOf } from "./errorReaders.ts"
import * as Successes from "./successes.ts"
import type { CallOptions, KeyedCall } from "./types.ts"

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
  readonly success: (body: JsonObject, answered: Answered) => A | undefined
  /** The errors of this endpoint only. Those with more members come first. */
  readonly refusals: ReadonlyArray<Reader<NoInfer<E> | InvalidRequest>>
}

export const sendVerification = {
  method: "POST",
  path: "/verify",
  wireNames: {
    phoneNumber: "phone_number",
    channel: "channel",
    codeLength: "code_length",
    expiresIn: "expiry",
    locale: "locale",
    sender: "brand_id",
    client: "client",
    purpose: "purpose",
    metadata: "metadata",
    payment: "payment",
  },
  durations: ["expiresIn"],
  isKeyed: true,
  success: Successes.sentVerification,
  refusals: readersOf.verify,
} as const

export const checkVerification = {
  method: "POST",
  path: "/verify/check",
  wireNames: {
    requestId: "request_id",
    phoneNumber: "phone_number",
    code: "code",
    client: "client",
    purpose: "purpose",
  },
  success: Successes.checkedVerification,
  refusals: readersOf.check,
} as const

/** An id in a path. Callers in JavaScript can pass any value. */
const segment = (id: string): string => encodeURIComponent(String(id).toWellFormed())

export const resendVerification = (requestId: string) =>
  ({
    method: "POST",
    path: `/verify/${segment(requestId)}/resend`,
    wireNames: { channel: "channel", client: "client" },
    isKeyed: true,
    success: Successes.resentVerification,
    refusals: readersOf.resend,
  }) as const

export const cancelVerification = (requestId: string) =>
  ({
    method: "POST",
    path: `/verify/${segment(requestId)}/cancel`,
    wireNames: {},
    success: Successes.cancelledVerification,
    refusals: readersOf.cancel,
  }) as const

export const consumeVerification = (requestId: string) =>
  ({
    method: "POST",
    path: `/verify/${segment(requestId)}/consume`,
    wireNames: { purpose: "purpose", audience: "audience" },
    isKeyed: true,
    success: Successes.consumedVerification,
    refusals: readersOf.consume,
  }) as const

export const verificationStatus = (requestId: string) =>
  ({
    method: "GET",
    path: `/verify/${segment(requestId)}`,
    wireNames: {},
    success: Successes.verificationStatus,
    refusals: readersOf.status,
  }) as const

export const sendMessage = {
  method: "POST",
  path: "/messages",
  wireNames: { phoneNumber: "to", text: "message", channel: "channel", sender: "brand_id" },
  isKeyed: true,
  success: Successes.sentMessage,
  refusals: readersOf.send,
} as const

export const listMessages = {
  method: "GET",
  path: "/messages",
  wireNames: { limit: "limit", page: "page", from: "from", to: "to" },
  success: Successes.messagePage,
  refusals: readersOf.list,
} as const

export const getMessage = (id: string) =>
  ({
    method: "GET",
    path: `/messages/${segment(id)}`,
    wireNames: {},
    success: Successes.loggedMessage,
    refusals: readersOf.get,
  }) as const

export const balance = {
  method: "GET",
  path: "/balance",
  wireNames: {},
  success: Successes.balance,
  refusals: readersOf.balance,
} as const
