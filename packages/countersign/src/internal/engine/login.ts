/** A login whose host writes promises. */
import * as Login from "@countersign/http/login/Login"
import type { LoginChoice, LoginOptions } from "@countersign/http/login/LoginOptions"
import * as WebRequest from "@countersign/http/mount/WebRequest"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** Calls a function of the host. An error that it throws is a defect. */
const called = <A>(
  request: HttpServerRequest,
  call: (request: Request) => A | Promise<A>,
): Effect.Effect<A> => Effect.promise(async () => call(WebRequest.of(request)))

/** A host in JavaScript may have forgotten its answer. */
const responseOf = (answer: unknown) => {
  if (answer instanceof Response) {
    return Effect.succeed(HttpServerResponse.raw(answer, { status: answer.status }))
  }
  const text = "onVerified of the login must return a Response"
  return Effect.andThen(Effect.logError(text), Effect.die(new TypeError(text)))
}

/** Makes the application. */
export const makeLogin = ({
  client,
  onStart,
  onVerified,
  ...settings
}: LoginOptions & Pick<Login.Options, "isProduction" | "organization">) =>
  Effect.map(
    Login.make({
      ...settings,
      onVerified: (verified, request) =>
        Effect.flatMap(
          called(request, (own) => onVerified(verified, own)),
          responseOf,
        ),
      onStart:
        onStart &&
        ((input, request) =>
          Effect.flatMap(
            called(request, (own) => onStart(input, own)),
            (chosen): Effect.Effect<LoginChoice | HttpServerResponse.HttpServerResponse> =>
              chosen instanceof Response ? responseOf(chosen) : Effect.succeed(chosen ?? {}),
          )),
      client: client && ((request) => client(WebRequest.of(request))),
    }),
    (handler) => ({ handler, refusal: Login.refusal }),
  )
