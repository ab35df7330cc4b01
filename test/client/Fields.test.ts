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

  type Texts = Messages["Service"]

  it("takes the fields of the engine", () => {
    // Ids are chosen in the process of the engine only.
    expectTypeOf<{
      [K in keyof Codes]: FieldsOf<Codes[K]> | (K extends "send" ? "requestId" : never)
    }>().toEqualTypeOf<{ readonly [K in keyof Codes]: FieldsOf<OfEngine[K]> }>()
    expectTypeOf<FieldsOf<Client["messages"]["send"]>>().toEqualTypeOf<FieldsOf<Texts["send"]>>()
    expectTypeOf<FieldsOf<Client["messages"]["list"]>>().toEqualTypeOf<FieldsOf<Texts["list"]>>()
  })

  /** What the bodies on the wire leave out. */
  interface Omitted {
    readonly send: "expiresAt" | "resendAt" | "resendsRemaining"
    readonly check: never
    readonly resend: "expiresAt" | "resendAt"
    readonly cancel: "phoneNumber"
    readonly consume: never
    readonly status: "failure" | "now"
  }

  it("returns the fields of the engine", () => {
    expectTypeOf<{
      [K in keyof Codes]: DataOf<Codes[K]> | Omitted[K]
    }>().toEqualTypeOf<{ readonly [K in keyof Codes]: ResultOf<OfEngine[K]> }>()
  })
})
