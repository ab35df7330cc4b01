/**
 * Each call can have the errors of its endpoint, and no others.
 */
import { describe, expectTypeOf, it } from "vitest"
import type { Client, Result } from "../src/index.ts"

type ErrorOf<F extends (input: never) => Promise<Result<unknown, unknown>>> = Extract<
  Awaited<ReturnType<F>>,
  { readonly ok: false }
>["error"]

type CodeOf<E> = E extends { readonly code: infer Code } ? Code : never

type Anywhere =
  | "invalid_request"
  | "unauthorized"
  | "insufficient_scope"
  | "address_not_allowed"
  | "internal"
  | "unavailable"
  | "unexpected_response"
  | "timeout"
  | "network"
  | "aborted"

type Sending =
  | "not_on_whatsapp"
  | "insufficient_balance"
  | "rate_limited"
  | "idempotency_in_flight"
  | "idempotency_mismatch"

describe("the errors of a call", () => {
  it("are those of its endpoint", () => {
    type Verifications = Client["verifications"]
    type Messages = Client["messages"]
    expectTypeOf<CodeOf<ErrorOf<Verifications["send"]>>>().toEqualTypeOf<
      Anywhere | Sending | "sending_failed" | "too_many_pending"
    >()
    expectTypeOf<CodeOf<ErrorOf<Verifications["check"]>>>().toEqualTypeOf<
      | Anywhere
      | "wrong_code"
      | "request_not_found"
      | "already_consumed"
      | "request_expired"
      | "attempts_exhausted"
      | "rate_limited"
    >()
    expectTypeOf<CodeOf<ErrorOf<Verifications["resend"]>>>().toEqualTypeOf<
      | Anywhere
      | Sending
      | "sending_failed"
      | "request_not_found"
      | "already_verified"
      | "request_expired"
      | "attempts_exhausted"
      | "resends_exhausted"
    >()
    expectTypeOf<CodeOf<ErrorOf<Verifications["cancel"]>>>().toEqualTypeOf<
      Anywhere | "request_not_found" | "already_verified" | "request_expired"
    >()
    expectTypeOf<CodeOf<ErrorOf<Verifications["consume"]>>>().toEqualTypeOf<
      | Anywhere
      | "request_not_found"
      | "not_verified"
      | "already_consumed"
      | "idempotency_mismatch"
      | "request_expired"
      | "attempts_exhausted"
    >()
    expectTypeOf<CodeOf<ErrorOf<Verifications["status"]>>>().toEqualTypeOf<
      Anywhere | "request_not_found"
    >()
    expectTypeOf<CodeOf<ErrorOf<Messages["send"]>>>().toEqualTypeOf<
      Anywhere | Sending | "sender_unusable" | "sending_failed"
    >()
    expectTypeOf<CodeOf<ErrorOf<Messages["list"]>>>().toEqualTypeOf<Anywhere>()
    expectTypeOf<CodeOf<ErrorOf<Messages["get"]>>>().toEqualTypeOf<Anywhere | "message_not_found">()
    expectTypeOf<CodeOf<ErrorOf<Client["balance"]>>>().toEqualTypeOf<Anywhere>()
  })

  it("are narrowed by code", () => {
    type CheckError = ErrorOf<Client["verifications"]["check"]>
    const left = (error: CheckError): number => {
      if (error.code === "wrong_code") return error.attemptsRemaining
      if (error.code === "rate_limited" || error.code === "unavailable") {
        expectTypeOf(error.status).toEqualTypeOf<429 | 503>()
        return error.retryAfterSeconds
      }
      return 0
    }
    expectTypeOf(left).returns.toEqualTypeOf<number>()
  })

  it("all have a code, a message and a status", () => {
    type Common = ErrorOf<Client["balance"]>
    expectTypeOf<Common["message"]>().toEqualTypeOf<string>()
    expectTypeOf<Common["status"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Extract<Common, { code: "timeout" }>["status"]>().toEqualTypeOf<undefined>()
    expectTypeOf<Extract<Common, { code: "unauthorized" }>["status"]>().toEqualTypeOf<401>()
  })
})
