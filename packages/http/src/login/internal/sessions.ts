/**
 * The request that a browser has begun, in a signed cookie that scripts cannot read. Nothing is stored. The id of the
 * request is drawn before the code is sent, so the cookie also holds a request whose outcome is unknown.
 */
import { BrowserTokens } from "@countersign/core/engine/BrowserTokens"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Answer } from "./answers.ts"

/** The digests are keyed, so the cookie shows neither the number nor what the host has chosen. */
const Session = Schema.Struct({
  /** The id of the request. */
  id: Schema.String,
  number: Schema.String,
  /** Of the payment and the metadata that the host has chosen. */
  choice: Schema.String,
  codeLength: Schema.Int,
})

export type Session = typeof Session.Type

const Stored = Schema.fromJsonString(Session)

const encode = Schema.encodeSync(Stored)

const decode = Schema.decodeUnknownOption(Stored)

/** How long a cookie outlives its code, so that a page learns that the code has expired. */
const margin = Duration.minutes(10)

/** The number and the choice that a request is for. A new start with the same subject sends no other code. */
export interface Subject {
  readonly number: string
  readonly choice: string
}

interface Options {
  readonly organization: OrganizationId
  readonly purpose: string
  readonly isProduction: boolean
}

export const makeSessions = Effect.fnUntraced(function* ({
  isProduction,
  organization,
  purpose,
}: Options) {
  const tokens = yield* BrowserTokens
  const use = `login\n${organization}\n${purpose}`

  const isSecure = ({ originalUrl }: HttpServerRequest): boolean =>
    isProduction || originalUrl.startsWith("https:")

  /** A browser takes `__Host-` from this host alone, never from a neighbour. */
  const nameFor = (request: HttpServerRequest): string =>
    `${isSecure(request) ? "__Host-" : ""}countersign-${purpose}`

  const setCookie =
    (request: HttpServerRequest, value: string, maxAge: Duration.Duration) =>
    (answer: Answer): Answer =>
      HttpServerResponse.setCookieUnsafe(answer, nameFor(request), value, {
        path: "/",
        httpOnly: true,
        sameSite: "lax",
        secure: isSecure(request),
        maxAge,
      })

  const digestsOf = (text: string) => tokens.digests(use, text)

  return {
    /** The session of the browser; `undefined` without one that this login has signed. */
    read: Effect.fnUntraced(function* (request: HttpServerRequest) {
      const token = Cookies.parseHeader(request.headers["cookie"] ?? "")[nameFor(request)]
      if (token === undefined) return undefined
      const text = yield* tokens.read(use, token)
      return Option.getOrUndefined(decode(text))
    }),

    /** Returns the function that adds the cookie of a new session to an answer. */
    begin: Effect.fnUntraced(function* (
      request: HttpServerRequest,
      { choice, number }: Subject,
      { codeLength, id }: Pick<Session, "codeLength" | "id">,
      lifetime: Duration.Duration,
    ) {
      const [ofNumber = ""] = yield* digestsOf(number)
      const [ofChoice = ""] = yield* digestsOf(choice)
      const text = encode({ id, number: ofNumber, choice: ofChoice, codeLength })
      return setCookie(request, yield* tokens.sign(use, text), Duration.sum(lifetime, margin))
    }),

    /** Removes the cookie. */
    end: (request: HttpServerRequest) => setCookie(request, "", Duration.zero),

    /** Whether the code of the session was sent to the number. */
    isTo: (session: Session, number: string) =>
      Effect.map(digestsOf(number), (digests) => digests.includes(session.number)),

    /** Whether the session is for the same number and the same choice. */
    isFor: (session: Session, { choice, number }: Subject) =>
      Effect.map(
        Effect.all([digestsOf(number), digestsOf(choice)]),
        ([ofNumber, ofChoice]) =>
          ofNumber.includes(session.number) && ofChoice.includes(session.choice),
      ),
  }
})
