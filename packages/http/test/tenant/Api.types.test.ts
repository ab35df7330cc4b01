/**
 * Every endpoint declares the errors and the fields of its service, and no others.
 */
import type { Caller } from "@countersign/core/api/Caller"
import type { Accounts } from "@countersign/core/services/Accounts"
import type { Messages } from "@countersign/core/services/Messages"
import type { Verifications } from "@countersign/core/services/verifications/Verifications"
import type * as Effect from "effect/Effect"
import { describe, expectTypeOf, it } from "vitest"
import type * as Bodies from "../../src/tenant/Bodies.ts"
import type { Client } from "../../src/tenant/Client.ts"
import type { messageNames, verificationNames } from "../../src/tenant/internal/readers.ts"

type TagOf<E> = E extends { readonly _tag: infer Tag extends string } ? Tag : never

type ErrorOf<F extends (input: never) => unknown> =
  ReturnType<F> extends Effect.Effect<unknown, infer E, unknown> ? TagOf<E> : never

/** The failure for each error of the engine that has another name. */
interface Renamed {
  readonly AddressNotAllowed: "Forbidden"
  readonly SenderUnusable: "NotSendable"
  readonly InsufficientScope: "Forbidden"
  readonly NotOnWhatsApp: "NotSendable"
  readonly OptedOut: "NotSendable"
  readonly OrganizationNotFound: "Unauthorized"
  readonly StoreUnavailable: "Unavailable"
}

type FailureOf<Tag extends string> = Tag extends keyof Renamed ? Renamed[Tag] : Tag

/** The failures of every endpoint: of its key, and of a defect. */
type Everywhere = "Forbidden" | "InternalError" | "Unauthorized" | "Unavailable"

type Unreadable = "BodyTooLarge" | "UnsupportedMediaType"

/** Errors that a client has by itself. */
type OfClient = "HttpClientError" | "SchemaError"

type Declared<F extends (input: never) => unknown> = Exclude<ErrorOf<F>, OfClient>

type Expected<F extends (input: never) => unknown> = FailureOf<ErrorOf<F>> | Everywhere

type Http = Client["Service"]
type Codes = Verifications["Service"]
type Texts = Messages["Service"]

describe("the declared failures", () => {
  it("of verifications are the errors of the service", () => {
    type OfHttp = Http["verifications"]
    expectTypeOf<Declared<OfHttp["send"]>>().toEqualTypeOf<
      Exclude<Expected<Codes["send"]>, "SendingFailed"> | Unreadable
    >()
    expectTypeOf<Declared<OfHttp["check"]>>().toEqualTypeOf<Expected<Codes["check"]> | Unreadable>()
    expectTypeOf<Declared<OfHttp["resend"]>>().toEqualTypeOf<
      Exclude<Expected<Codes["resend"]>, "SendingFailed" | "TooManyPending"> | Unreadable
    >()
    expectTypeOf<Declared<OfHttp["cancel"]>>().toEqualTypeOf<
      Exclude<Expected<Codes["cancel"]>, "InvalidRequest">
    >()
    expectTypeOf<Declared<OfHttp["consume"]>>().toEqualTypeOf<
      Expected<Codes["consume"]> | Unreadable
    >()
    expectTypeOf<Declared<OfHttp["status"]>>().toEqualTypeOf<Expected<Codes["status"]>>()
  })

  it("of messages and the account are the errors of the service", () => {
    type OfHttp = Http["messages"]
    expectTypeOf<Declared<OfHttp["send"]>>().toEqualTypeOf<Expected<Texts["send"]> | Unreadable>()
    expectTypeOf<Declared<OfHttp["list"]>>().toEqualTypeOf<Expected<Texts["list"]>>()
    expectTypeOf<Declared<OfHttp["get"]>>().toEqualTypeOf<Expected<Texts["get"]>>()
    type OfAccount = Http["account"]["balance"]
    expectTypeOf<Declared<OfAccount>>().toEqualTypeOf<Expected<Accounts["Service"]["balance"]>>()
  })
})

/** The members of a body. */
type MembersOf<B extends { readonly fields: object }> = keyof B["fields"]

/** The names on the wire of the fields of a call. */
type WireNamesOf<F extends (input: never) => unknown, Names, InPath extends string = never> =
  Exclude<keyof Parameters<F>[0], keyof Caller | "idempotencyKey" | InPath> extends infer Field
    ? Field extends keyof Names
      ? Names[Field]
      : Field
    : never

describe("the declared bodies", () => {
  it("have the fields of the service", () => {
    type Names = typeof verificationNames
    expectTypeOf<MembersOf<typeof Bodies.SendVerification>>().toEqualTypeOf<
      WireNamesOf<Codes["send"], Names, "requestId">
    >()
    expectTypeOf<MembersOf<typeof Bodies.CheckVerification>>().toEqualTypeOf<
      WireNamesOf<Codes["check"], Names>
    >()
    expectTypeOf<MembersOf<typeof Bodies.ResendVerification>>().toEqualTypeOf<
      WireNamesOf<Codes["resend"], Names, "requestId">
    >()
    expectTypeOf<MembersOf<typeof Bodies.ConsumeVerification>>().toEqualTypeOf<
      WireNamesOf<Codes["consume"], Names, "requestId">
    >()
    expectTypeOf<MembersOf<typeof Bodies.SendMessage>>().toEqualTypeOf<
      WireNamesOf<Texts["send"], typeof messageNames>
    >()
  })
})
