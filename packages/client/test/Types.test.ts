/**
 * Each call can have the errors of its endpoint, and no others.
 */
import { describe, expectTypeOf, it } from "vitest"
import type { Client, Result } from "../src/index.ts"

type ErrorOf<F extends (input: never) => Promise<Result<unknown, unknown>>> = Extract<
  Awaited<ReturnType<F>>,
  { readonly ok: false }
>["error"]

type TypeOf<E> = E extends { readonly type: infer Type } ? Type : never

type Anywhere =
  | "invalid_request"
  | "unauthorized"
  | "insufficient_scope"
  | "address_not_allowed"
  | "internal_error"
  | "unavailable"
  | "unexpected_response"
  | "timeout"
  | "network"
  | "aborted"

type NoCode = "unexpected_response" | "timeout" | "network" | "aborted"

type Sending =
  | "not_sendable"
  | "insufficient_balance"
  | "rate_limited"
  | "idempotency_in_flight"
  | "idempotency_mismatch"

describe("the errors of a call", () => {
  it("are those of its endpoint", () => {
    type Verifications = Client["verifications"]
    type Messages = Client["messages"]
    expectTypeOf<TypeOf<ErrorOf<Verifications["send"]>>>().toEqualTypeOf<
      Anywhere | Sending | "sending_failed" | "too_many_pending"
    >()
    expectTypeOf<TypeOf<ErrorOf<Verifications["check"]>>>().toEqualTypeOf<
      | Anywhere
      | "wrong_code"
      | "request_not_found"
      | "already_consumed"
      | "request_expired"
      | "attempts_exhausted"
      | "rate_limited"
    >()
    expectTypeOf<TypeOf<ErrorOf<Verifications["resend"]>>>().toEqualTypeOf<
      | Anywhere
      | Sending
      | "sending_failed"
      | "request_not_found"
      | "already_verified"
      | "request_expired"
      | "attempts_exhausted"
      | "resends_exhausted"
    >()
    expectTypeOf<TypeOf<ErrorOf<Verifications["cancel"]>>>().toEqualTypeOf<
      Anywhere | "request_not_found" | "already_verified" | "request_expired"
    >()
    expectTypeOf<TypeOf<ErrorOf<Verifications["consume"]>>>().toEqualTypeOf<
      | Anywhere
      | "request_not_found"
      | "not_verified"
      | "already_consumed"
      | "idempotency_mismatch"
      | "request_expired"
      | "attempts_exhausted"
    >()
    expectTypeOf<TypeOf<ErrorOf<Verifications["status"]>>>().toEqualTypeOf<
      Anywhere | "request_not_found"
    >()
    expectTypeOf<TypeOf<ErrorOf<Messages["send"]>>>().toEqualTypeOf<
      Anywhere | Sending | "sending_failed"
    >()
    expectTypeOf<TypeOf<ErrorOf<Messages["list"]>>>().toEqualTypeOf<Anywhere>()
    expectTypeOf<TypeOf<ErrorOf<Messages["get"]>>>().toEqualTypeOf<Anywhere | "message_not_found">()
    expectTypeOf<TypeOf<ErrorOf<Client["balance"]>>>().toEqualTypeOf<Anywhere>()
  })

  it("are narrowed by code, which is a code of the service", () => {
    type VerificationError = ErrorOf<Client["verifications"][keyof Client["verifications"]]>
    type CheckError = ErrorOf<Client["verifications"]["check"]>
    type All = VerificationError | ErrorOf<Client["messages"][keyof Client["messages"]]>
    type Codes = Exclude<All["code"], undefined>
    expectTypeOf<Codes>().toEqualTypeOf<
      | Exclude<TypeOf<All>, NoCode | "not_sendable" | "internal_error">
      | "internal"
      | "not_on_whatsapp"
      | "sender_unusable"
    >()
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

  it("all have a type, a message and a status", () => {
    type Common = ErrorOf<Client["balance"]>
    expectTypeOf<Common["message"]>().toEqualTypeOf<string>()
    expectTypeOf<Common["status"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Extract<Common, { type: "timeout" }>["status"]>().toEqualTypeOf<undefined>()
    expectTypeOf<Extract<Common, { type: "unauthorized" }>["status"]>().toEqualTypeOf<401>()
  })
})
