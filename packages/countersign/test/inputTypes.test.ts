/**
 * Each input of the promise API has exactly the fields of the engine's input, as plain values. A field that is
 * added to one of them and not to the other is a type error here.
 */
import type { FieldProblem } from "@countersign/core/domain/values/FieldProblem"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Money } from "@countersign/core/domain/values/Money"
import type { Metadata } from "../src/index.ts"
import type { LimitOverrides } from "@countersign/core/domain/limits/LimitOverrides"
import type { WindowLimit as EngineWindowLimit } from "@countersign/core/domain/limits/SlidingWindow"
import type { Caller } from "@countersign/core/api/Caller"
import type { Accounts } from "@countersign/core/services/Accounts"
import type { Audit } from "@countersign/core/services/Audit"
import type { Messages } from "@countersign/core/services/Messages"
import type { Reports } from "@countersign/core/services/Reports"
import type { Verifications } from "@countersign/core/services/verifications/Verifications"
import type * as Redacted from "effect/Redacted"
import { describe, expectTypeOf, it } from "vitest"
import type { Countersign, Duration, DurationRange, Limits, WindowLimit } from "../src/index.ts"

/** The fields of every input of these types, and of each member of a union. */
type Keys<A> = A extends unknown ? keyof A : never

type At<A, K extends PropertyKey> = A extends { readonly [P in K]?: unknown } ? A[K] : never

/** A value of the engine as the promise API has it. Times are epoch milliseconds there, and `Date`s here. */
type Plain<K, A> = A extends FieldProblem
  ? never
  : A extends Money
    ? string
    : A extends Redacted.Redacted<infer Text>
      ? Text
      : A extends OrganizationId
        ? string
        : [K, A] extends ["from" | "to" | "expiresAt", number]
          ? Date
          : A

type PlainInput<A> = {
  readonly [K in Exclude<Keys<A>, keyof Caller>]: Plain<K, NonNullable<At<A, K>>>
}

type Argument<F, N extends number = 0> = F extends (...args: infer Args) => unknown
  ? NonNullable<Args[N]>
  : never

type Engine<S, K extends keyof S> = PlainInput<Argument<S[K]>>

type Input<A> = {
  readonly [K in Exclude<Keys<A>, "organization">]: NonNullable<At<A, K>>
}

type Promised<S extends keyof Countersign, K extends keyof Countersign[S]> = Input<
  Argument<Countersign[S][K]>
>

describe("an input of the promise API has the fields of the engine's", () => {
  it("verifications", () => {
    type V = Verifications["Service"]
    // The engine takes JSON text, the promise API an object.
    expectTypeOf<Promised<"verifications", "send">["metadata"]>().toEqualTypeOf<Metadata>()
    expectTypeOf<Promised<"verifications", "check">>().toEqualTypeOf<Engine<V, "check">>()
    expectTypeOf<Promised<"verifications", "resetGuesses">>().toEqualTypeOf<
      Engine<V, "resetGuesses">
    >()
    expectTypeOf<Omit<Promised<"verifications", "send">, "metadata">>().toEqualTypeOf<
      Omit<Engine<V, "send">, "metadata">
    >()
    expectTypeOf<Promised<"verifications", "resend">>().toEqualTypeOf<Engine<V, "resend">>()
    expectTypeOf<Promised<"verifications", "cancel">>().toEqualTypeOf<Engine<V, "cancel">>()
    expectTypeOf<Promised<"verifications", "consume">>().toEqualTypeOf<Engine<V, "consume">>()
    expectTypeOf<Promised<"verifications", "verify">>().toEqualTypeOf<Engine<V, "verify">>()
    expectTypeOf<Promised<"verifications", "list">>().toEqualTypeOf<Engine<V, "search">>()
    expectTypeOf<Promised<"verifications", "get">>().toEqualTypeOf<Engine<V, "status">>()
  })

  it("messages", () => {
    type M = Messages["Service"]
    expectTypeOf<Promised<"messages", "send">>().toEqualTypeOf<Engine<M, "send">>()
    expectTypeOf<Promised<"messages", "preview">>().toEqualTypeOf<Engine<M, "preview">>()
    expectTypeOf<Promised<"messages", "list">>().toEqualTypeOf<Engine<M, "search">>()
    expectTypeOf<Promised<"messages", "get">>().toEqualTypeOf<Engine<M, "get">>()
  })

  it("account", () => {
    type A = Accounts["Service"]
    expectTypeOf<Promised<"account", "balance">>().toEqualTypeOf<Engine<A, "balance">>()
    expectTypeOf<Promised<"account", "topUp">>().toEqualTypeOf<Engine<A, "topUp">>()
    expectTypeOf<Promised<"account", "adjust">>().toEqualTypeOf<Engine<A, "adjust">>()
  })
  it("the audit", () => {
    type A = Audit["Service"]
    expectTypeOf<Promised<"audit", "record">>().toEqualTypeOf<Engine<A, "record">>()
  })

  it("limits", () => {
    type Engines = Input<LimitOverrides>
    // Amounts are decimals, and durations are text.
    type Own = {
      readonly [
        K in keyof Engines as K extends "expirySeconds" | "resendCooldownMillis" ? never : K
      ]: K extends "spendPerDay"
        ? string
        : Engines[K] extends EngineWindowLimit
          ? WindowLimit
          : Engines[K]
    } & { readonly expiresIn: DurationRange; readonly resendCooldown: Duration }
    expectTypeOf<Input<Limits>>().branded.toEqualTypeOf<Own>()
  })

  it("reports, which name their message next to the status", () => {
    type R = Reports["Service"]
    type Report = Argument<R["receive"]>
    type Message = PlainInput<Report["of"]>
    type Received = Omit<PlainInput<Report>, "of"> &
      Omit<Message, "_tag" | "sequence"> & { readonly messageSequence: Message["sequence"] }
    expectTypeOf<Promised<"reports", "receive">>().branded.toEqualTypeOf<Received>()
  })
})
