/**
 * The endpoints of a login by phone, for browsers: `POST /start`, `/resend`, `/check` and `/cancel`, `GET /state`. A
 * signed cookie binds a request to the browser that has begun it. The host signs the number in when its code was right.
 */
import type { Metadata } from "@countersign/core/api/types/verifications"
import * as Input from "@countersign/core/api/Input"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { InvalidRequest, RequestNotFound } from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { isOrganizationId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Drain from "@countersign/core/engine/Drain"
import type * as Engine from "@countersign/core/Engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as AdmissionGate from "../mount/AdmissionGate.ts"
import { below, rooted } from "../mount/BasePath.ts"
import { BodyReader } from "../mount/BodyReader.ts"
import * as RequestContext from "../mount/RequestContext.ts"
import * as WebHandler from "../mount/WebHandler.ts"
import { logDefect } from "../mount/internal/defects.ts"
import * as JsonBody from "../mount/internal/jsonBody.ts"
import * as Bodies from "./LoginBodies.ts"
import type { LoginChoice, LoginInput, LoginSettings, VerifiedLogin } from "./LoginOptions.ts"
import * as Settings from "./LoginSettings.ts"
import * as Answers from "./internal/answers.ts"
import * as Browser from "./internal/browser.ts"
import { isUncertain, makeCodes } from "./internal/codes.ts"
import { makeSessions } from "./internal/sessions.ts"

export type { LoginChoice, LoginInput, VerifiedLogin }

/** The services of the engine that the login needs. */
export type Requirements = Engine.Engine

type Response = HttpServerResponse.HttpServerResponse

/** The options of a login with Effect. */
export interface Options<R = never> extends LoginSettings {
  /** The organization that sends the codes. @defaultValue `default` */
  readonly organization?: string | undefined
  /** Signs the number in. Runs once for each verified request, and its answer is sent. */
  readonly onVerified: (
    verified: VerifiedLogin,
    request: HttpServerRequest,
  ) => Effect.Effect<Response, never, R>
  /** Chooses what the browser must not, or refuses with a response. @defaultValue chooses nothing */
  readonly onStart?:
    | ((
        input: LoginInput,
        request: HttpServerRequest,
      ) => Effect.Effect<LoginChoice | Response, never, R>)
    | undefined
  /** The host's name for the visitor. @defaultValue the address of the client */
  readonly client?: ((request: HttpServerRequest) => string | undefined) | undefined
  /** Whether the cookie is `Secure` on every request. @defaultValue where the request came over HTTPS */
  readonly isProduction?: boolean | undefined
}

/** Maximum size of a body in bytes. */
const maxBodyBytes = 8_192

type Endpoint = (request: HttpServerRequest) => Effect.Effect<Response, EngineError | Response>

/**
 * Completes what it has begun, also for a browser that has gone. The end of the mount waits for it, for a bounded time.
 */
const completed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Drain.Visit, ({ extend }) => {
    const end = extend()
    const kept = Effect.forkDetach(Effect.ensuring(effect, Effect.sync(end)))
    // Otherwise a function of the host that never ends would hold the end of the mount.
    return Effect.flatMap(kept, (fiber) => Effect.interruptible(Fiber.join(fiber)))
  })

const idle = Answers.json({ status: "idle" })

/** The request has ended before it was read, as when an operator has cancelled it. */
const failed = Answers.problem("attempts_exhausted")

const waitingOr = (otherwise: Response, waiting: unknown): Response =>
  waiting === undefined ? otherwise : Answers.json(waiting)

const readChoice = Input.reading({ input: Bodies.Choice })

/** Creates the application over the engine in the context. Dies if the options are invalid. */
export const make = Effect.fnUntraced(function* <R = never>(
  options: Options<R>,
): Effect.fn.Return<WebHandler.Handler, never, Requirements | R> {
  const { isProduction = false, onStart, onVerified, organization: id = "default" } = options
  if (!isOrganizationId(id)) return yield* Effect.die(new TypeError("organization: invalid"))
  const organization = OrganizationId(id)
  const { addressOf, basePath, country, origins, purpose } = Settings.read(options)
  const codes = yield* makeCodes(organization, purpose)
  const sessions = yield* makeSessions({ organization, purpose, isProduction })
  const services = yield* Effect.context<R>()
  /** Runs an effect of the host. The services of the request take precedence over the services of the login. */
  const hosted = <A>(effect: Effect.Effect<A, never, R>): Effect.Effect<A> =>
    Effect.updateContext(effect, (current: Context.Context<never>) =>
      Context.merge(services, current),
    )
  const readJson = JsonBody.jsonReader(yield* BodyReader, maxBodyBytes)

  const bodyOf = <A>(read: JsonBody.JsonReader, parse: Input.Reading<A>) =>
    Effect.fnUntraced(function* (request: HttpServerRequest) {
      const json = yield* Effect.mapError(read(request), Answers.ofBody)
      return yield* Effect.fromResult(parse(json))
    })
  const readStart = bodyOf(readJson, Input.reading({ input: Bodies.Start }))
  const readCheck = bodyOf(readJson, Input.reading({ input: Bodies.Check }))
  const optionalJson = JsonBody.orNothing(readJson)
  const readResend = bodyOf(optionalJson, Input.reading({ input: Bodies.Resend }))
  const readCancel = bodyOf(optionalJson, Input.reading({ input: Bodies.Cancel }))

  const numberOf = (text: string) =>
    Effect.fromResult(
      Result.mapError(PhoneNumber.parseLenient(text, { country }), (problem) =>
        Input.invalid("phoneNumber", problem),
      ),
    )

  const clientOf = (request: HttpServerRequest): string | undefined =>
    options.client === undefined
      ? Browser.clientOf(addressOf(request))
      : options.client(request) || undefined

  /** The session of the browser. Fails without one. */
  const sessionOf = (request: HttpServerRequest) =>
    Effect.flatMap(sessions.read(request), (session) =>
      session === undefined ? Effect.fail(new RequestNotFound()) : Effect.succeed(session),
    )

  const choose = Effect.fnUntraced(function* (request: HttpServerRequest, input: LoginInput) {
    if (onStart === undefined) return {}
    const chosen = yield* Effect.interruptible(hosted(onStart(input, request)))
    if (HttpServerResponse.isHttpServerResponse(chosen)) return yield* Effect.fail(chosen)
    const read = readChoice(chosen)
    if (Result.isSuccess(read)) return read.success
    const fields = read.failure instanceof InvalidRequest ? Object.keys(read.failure.details) : []
    yield* Effect.logError(`onStart of the login returns what it may not: ${fields.join(", ")}`)
    return yield* Effect.fail(Answers.internal)
  })

  const start: Endpoint = Effect.fnUntraced(function* (request) {
    const { channel, locale, phoneNumber: typed } = yield* readStart(request)
    const own = typed === undefined ? undefined : yield* numberOf(typed)
    const { metadata, payment, ...chosen } = yield* choose(request, {
      phoneNumber: own,
      channel,
      locale,
    })
    const phoneNumber = chosen.phoneNumber === undefined ? own : yield* numberOf(chosen.phoneNumber)
    if (phoneNumber === undefined) {
      return yield* Input.invalid("phoneNumber", FieldProblem.make("required", {}))
    }
    const client = clientOf(request)
    const choice = JSON.stringify([payment?.amount, payment?.payee, metadata])
    const subject = { number: phoneNumber, choice }
    const before = yield* sessions.read(request)
    if (before !== undefined && (yield* sessions.isFor(before, subject))) {
      const waiting = yield* codes.sendAgain(before, { channel, client })
      if (waiting !== undefined) return Answers.json(waiting)
    }
    const drawn = yield* codes.draw(phoneNumber)
    const begin = yield* sessions.begin(request, subject, drawn, drawn.lifetime)
    const { locale: chosenLocale = locale } = chosen
    const code = { phoneNumber, channel, client, payment, metadata, locale: chosenLocale }
    return yield* codes.send(drawn.id, code).pipe(
      Effect.tap(() => (before === undefined ? Effect.void : Effect.ignore(codes.cancel(before)))),
      Effect.andThen(codes.waiting(drawn)),
      Effect.map((waiting) => begin(waitingOr(failed, waiting))),
      Effect.catchIf(isUncertain, (error) => Effect.map(Answers.ofError(error), begin)),
    )
  })

  const resend: Endpoint = Effect.fnUntraced(function* (request) {
    const { channel } = yield* readResend(request)
    const session = yield* sessionOf(request)
    yield* codes.resend(session, { channel, client: clientOf(request) })
    return waitingOr(failed, yield* codes.waiting(session))
  })

  const signIn = (request: HttpServerRequest, verified: VerifiedLogin) =>
    Effect.suspend(() => hosted(onVerified(verified, request))).pipe(
      Effect.catchDefect((defect) => Effect.as(logDefect(request, defect), Answers.internal)),
      Effect.map((answer) => sessions.end(request)(Answers.unstored(answer))),
    )

  const check: Endpoint = Effect.fnUntraced(function* (request) {
    const { code, phoneNumber } = yield* readCheck(request)
    const session = yield* sessionOf(request)
    if (phoneNumber !== undefined) {
      const isSame = yield* sessions.isTo(session, yield* numberOf(phoneNumber))
      if (!isSame) return Answers.problem("number_changed")
    }
    return yield* completed(
      Effect.flatMap(
        codes.verify(session, code, { client: clientOf(request) }),
        ({ metadata, phoneNumber }) =>
          signIn(request, { phoneNumber, purpose, metadata: metadataOf(metadata) }),
      ),
    )
  })

  const cancel: Endpoint = Effect.fnUntraced(function* (request) {
    yield* readCancel(request)
    const session = yield* sessions.read(request)
    if (session !== undefined) yield* codes.cancel(session)
    return sessions.end(request)(idle)
  })

  const state: Endpoint = Effect.fnUntraced(function* (request) {
    const session = yield* sessions.read(request)
    const waiting = session === undefined ? undefined : yield* codes.waiting(session)
    return waitingOr(idle, waiting)
  })

  /** Loaded on the first request for it. */
  const document = (base: string) =>
    Effect.map(
      Effect.promise(() => import("./internal/document.ts")),
      ({ document }) => Answers.json({ ...document, servers: [{ url: base === "" ? "/" : base }] }),
    )

  const endpoints: ReadonlyMap<string, readonly [method: "GET" | "POST", Endpoint]> = new Map([
    ["/start", ["POST", start]],
    ["/resend", ["POST", resend]],
    ["/check", ["POST", check]],
    ["/cancel", ["POST", cancel]],
    ["/state", ["GET", state]],
  ])

  const answerTo = (request: HttpServerRequest): ReturnType<Endpoint> => {
    const base = rooted(RequestContext.of(request).basePath ?? basePath)
    const [path = ""] = below(base, request.url)?.split("?", 1) ?? []
    const isDocument = path === "/openapi.json"
    const [method, serve] = isDocument
      ? (["GET", () => document(base)] as const)
      : (endpoints.get(path) ?? [])
    if (serve === undefined) return Effect.succeed(Answers.problem("not_found"))
    const allow = method === "GET" ? "GET, HEAD, OPTIONS" : `${method}, OPTIONS`
    if (request.method === "OPTIONS") return Effect.succeed(Browser.preflight(allow))
    if (!allow.split(", ").includes(request.method))
      return Effect.succeed(Answers.methodNotAllowed(allow))
    if (!isDocument && Browser.isForeign(request, origins)) {
      return Effect.succeed(Answers.problem("foreign_origin"))
    }
    return serve(request)
  }

  const answered = (request: HttpServerRequest) =>
    Effect.suspend(() => answerTo(request)).pipe(
      Effect.catch((error) =>
        HttpServerResponse.isHttpServerResponse(error)
          ? Effect.succeed(error)
          : Answers.ofError(error),
      ),
      Effect.catchDefect((defect) => Effect.as(logDefect(request, defect), Answers.internal)),
      Effect.map(Browser.withCors(request, origins)),
    )

  return Effect.flatMap(HttpServerRequest, answered)
})

/** The host's JSON object, which the engine keeps as text. */
const metadataOf = (text: string | null): Metadata | null => {
  const metadata: Metadata | null = text === null ? null : JSON.parse(text)
  return metadata
}

/** Adds everything below the base path to the host's `HttpRouter`. The end waits for requests under way. */
export const layerRoutes = <R = never>(
  options: Options<R> & AdmissionGate.DrainOptions,
): Layer.Layer<never, never, HttpRouter.HttpRouter | Requirements | R> =>
  HttpRouter.use((router) =>
    Effect.flatMap(makeDraining(options), (handler) =>
      router.add("*", `${Settings.read(options).basePath}/*`, handler),
    ),
  )

/** Creates the application for a server that ends with the scope, which waits for the requests under way. */
export const makeDraining = <R = never>(
  options: Options<R> & AdmissionGate.DrainOptions,
): Effect.Effect<WebHandler.Handler, never, Requirements | Scope.Scope | R> =>
  Effect.flatMap(make(options), (handler) =>
    AdmissionGate.drain(handler, { refusal: Answers.overloaded, ...options }),
  )

/** Builds the services of `layer` and a fetch handler over them, for web `Request`s. */
export const toWebHandler = <E>(
  layer: Layer.Layer<Requirements, E>,
  {
    memoMap,
    ...options
  }: Options & AdmissionGate.DrainOptions & { readonly memoMap?: Layer.MemoMap | undefined },
): WebHandler.WebHandler => WebHandler.webHandler(layer, makeDraining<never>(options), memoMap)

/** The answer to requests that the gate of a mount refuses. */
export const refusal: Response = Answers.overloaded
