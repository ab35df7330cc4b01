/**
 * The client has the fields of the engine's calls and of their results. A field that only one of them has is a type
 * error here.
 */
import type { Client, Duration } from "@countersign/client"
import type { Caller } from "@countersign/core/api/Caller"
import type { Duration as CoreDuration } from "@countersign/core/domain/values/DurationText"
import type { Messages } from "@countersign/core/services/Messages"
import type { Verifications } from "@countersign/core/services/verifications/Verifications"
import type * as Effect from "effect/Effect"
import { describe, expectTypeOf, it } from "vitest"

type Method = (input: never) => unknown

type FieldsOf<F extends Method> = Exclude<
  keyof NonNullable<Parameters<F>[0]>,
  keyof Caller | "signal"
>

type DataOf<F extends Method> =
  Extract<Awaited<ReturnType<F>>, { readonly ok: true }> extends { readonly data: infer Data }
    ? keyof Data
    : never

type ResultOf<F extends Method> =
  ReturnType<F> extends Effect.Effect<infer A, unknown, unknown> ? keyof A : never

describe("the client", () => {
  it("has the durations of the engine", () => {
    expectTypeOf<Duration>().toEqualTypeOf<CoreDuration>()
  })

  type Codes = Client["verifications"]
  type OfEngine = Verifications["Service"]

  it("takes the fields of the engine", () => {
    // Ids are chosen in the process of the engine only.
    expectTypeOf<FieldsOf<Codes["send"]> | "requestId">().toEqualTypeOf<
      FieldsOf<OfEngine["send"]>
    >()
    expectTypeOf<FieldsOf<Codes["check"]>>().toEqualTypeOf<FieldsOf<OfEngine["check"]>>()
    expectTypeOf<FieldsOf<Codes["resend"]>>().toEqualTypeOf<FieldsOf<OfEngine["resend"]>>()
    expectTypeOf<FieldsOf<Codes["cancel"]>>().toEqualTypeOf<FieldsOf<OfEngine["cancel"]>>()
    expectTypeOf<FieldsOf<Codes["consume"]>>().toEqualTypeOf<FieldsOf<OfEngine["consume"]>>()
    expectTypeOf<FieldsOf<Codes["status"]>>().toEqualTypeOf<FieldsOf<OfEngine["status"]>>()
    type Texts = Messages["Service"]
    expectTypeOf<FieldsOf<Client["messages"]["send"]>>().toEqualTypeOf<FieldsOf<Texts["send"]>>()
    expectTypeOf<FieldsOf<Client["messages"]["list"]>>().toEqualTypeOf<FieldsOf<Texts["list"]>>()
  })

  it("returns the fields of the engine", () => {
    // The interface names no times of a code that was sent.
    expectTypeOf<DataOf<Codes["send"]>>().toEqualTypeOf<
      Exclude<ResultOf<OfEngine["send"]>, "expiresAt" | "resendAt" | "resendsRemaining">
    >()
    expectTypeOf<DataOf<Codes["check"]>>().toEqualTypeOf<ResultOf<OfEngine["check"]>>()
    expectTypeOf<DataOf<Codes["resend"]>>().toEqualTypeOf<
      Exclude<ResultOf<OfEngine["resend"]>, "expiresAt" | "resendAt">
    >()
    // The body of the answer to a cancel names the request only.
    expectTypeOf<DataOf<Codes["cancel"]> | "phoneNumber">().toEqualTypeOf<
      ResultOf<OfEngine["cancel"]>
    >()
    expectTypeOf<DataOf<Codes["consume"]>>().toEqualTypeOf<ResultOf<OfEngine["consume"]>>()
    expectTypeOf<DataOf<Codes["status"]>>().toEqualTypeOf<
      Exclude<ResultOf<OfEngine["status"]>, "failure">
    >()
  })
})
