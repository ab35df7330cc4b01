/**
 * Every endpoint declares the errors of its service, and no others.
 */
import type { Accounts } from "@countersign/core/services/Accounts"
import type { Messages } from "@countersign/core/services/Messages"
import type { Verifications } from "@countersign/core/services/Verifications"
import type * as Effect from "effect/Effect"
import { describe, expectTypeOf, it } from "vitest"
import type { Client } from "../src/Client.ts"

type TagOf<E> = E extends { readonly _tag: infer Tag extends string } ? Tag : never

type ErrorOf<F extends (input: never) => unknown> =
  ReturnType<F> extends Effect.Effect<unknown, infer E, unknown> ? TagOf<E> : never

/** The failure for each error of the engine that has another name. */
interface Renamed {
  readonly BrandUnusable: "NotSendable"
  readonly NotOnWhatsApp: "NotSendable"
  readonly OrganizationNotFound: "Unauthorized"
  readonly StoreUnavailable: "Unavailable"
}

type FailureOf<Tag extends string> = Tag extends keyof Renamed ? Renamed[Tag] : Tag

/** The failures of every endpoint: of its key, and of a defect. */
type Everywhere = "AddressNotAllowed" | "InternalError" | "Unauthorized" | "Unavailable"

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
