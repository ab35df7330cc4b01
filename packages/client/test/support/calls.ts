/**
 * Each method of the client, called with something that it may be called with.
 */
import type { Client } from "../../src/index.ts"

export const calls = {
  "verifications.send": ({ verifications }: Client, signal?: AbortSignal) =>
    verifications.send({ phoneNumber: "+8801712345678", signal }),
  "verifications.check": ({ verifications }: Client, signal?: AbortSignal) =>
    verifications.check({ requestId: "vrf_1", code: "123456", signal }),
  "verifications.resend": ({ verifications }: Client, signal?: AbortSignal) =>
    verifications.resend({ requestId: "vrf_1", signal }),
  "verifications.cancel": ({ verifications }: Client, signal?: AbortSignal) =>
    verifications.cancel({ requestId: "vrf_1", signal }),
  "verifications.consume": ({ verifications }: Client, signal?: AbortSignal) =>
    verifications.consume({ requestId: "vrf_1", signal }),
  "verifications.status": ({ verifications }: Client, signal?: AbortSignal) =>
    verifications.status({ requestId: "vrf_1", signal }),
  "messages.send": ({ messages }: Client, signal?: AbortSignal) =>
    messages.send({ phoneNumber: "8801712345678", text: "Hello", signal }),
  "messages.list": ({ messages }: Client, signal?: AbortSignal) => messages.list({ signal }),
  "messages.get": ({ messages }: Client, signal?: AbortSignal) => messages.get("msg_1", { signal }),
  balance: (client: Client, signal?: AbortSignal) => client.balance({ signal }),
} as const

export type Call = keyof typeof calls

export const reading: ReadonlyArray<Call> = [
  "verifications.status",
  "messages.list",
  "messages.get",
  "balance",
]

export const writing: ReadonlyArray<Call> = [
  "verifications.send",
  "verifications.check",
  "verifications.resend",
  "verifications.cancel",
  "verifications.consume",
  "messages.send",
]

/** Those of them that have an idempotency key, and are repeated under it. */
export const keyed: ReadonlyArray<Call> = [
  "verifications.send",
  "verifications.resend",
  "verifications.consume",
  "messages.send",
]

export const all: ReadonlyArray<Call> = [...writing, ...reading]
