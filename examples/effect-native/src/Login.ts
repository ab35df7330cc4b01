/**
 * The handlers. They call the engine's services as they call the application's own: no HTTP in between,
 * and what can go wrong is in the types.
 */
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Api from "./Api.ts"
import { organization } from "./Engine.ts"
import { Tokens } from "./Tokens.ts"
import { Users } from "./Users.ts"

const invalidNumber = new Api.InvalidNumber({
  reason: "must be a phone number, such as 01712-345678 or +880 1712-345678",
})

const later = new Api.Unavailable({ retryAfterSeconds: 1 })

/** Code inside the application needs no key and no address: to be refused for one would be a bug. */
const onAccessErrors = {
  AddressNotAllowed: Effect.die,
  InsufficientScope: Effect.die,
  OrganizationNotFound: Effect.die,
  Unauthorized: Effect.die,
  StoreUnavailable: ({ retryAfterSeconds }: StoreUnavailable) =>
    Effect.fail(new Api.Unavailable({ retryAfterSeconds })),
}

const layerLogin = HttpApiBuilder.group(
  Api.Api,
  "login",
  Effect.fn(function* (handlers) {
    const tokens = yield* Tokens
    const users = yield* Users
    const verifications = yield* Verifications

    return handlers.handleAll({
      start: Effect.fn(function* ({ payload }) {
        // As people type it. Without a country code it is one of Bangladesh.
        const phoneNumber = yield* Effect.mapError(
          Effect.fromResult(PhoneNumber.parseLenient(payload.phoneNumber, { country: "BD" })),
          () => invalidNumber,
        )
        const { expiresInSeconds, requestId } = yield* verifications
          .send({ organization, phoneNumber })
          .pipe(
            Effect.catchTags({
              ...onAccessErrors,
              InvalidRequest: () => invalidNumber,
              RateLimited: ({ retryAfterSeconds }) => new Api.TooOften({ retryAfterSeconds }),
              TooManyPending: () => new Api.TooManyCodes(),
              SendingFailed: () => later,
              InsufficientBalance: () => later,
              // Codes go out by SMS here, and calls have no idempotency keys.
              NotOnWhatsApp: Effect.die,
              IdempotencyInFlight: Effect.die,
              IdempotencyMismatch: Effect.die,
            }),
          )
        return { requestId, expiresInSeconds }
      }),

      verify: Effect.fn(function* ({ payload }) {
        const { requestId, phoneNumber } = yield* verifications
          .verify({
            organization,
            requestId: payload.requestId,
            code: Redacted.make(payload.code, { label: "code" }),
          })
          .pipe(
            Effect.catchTags({
              ...onAccessErrors,
              WrongCode: ({ attemptsRemaining }) => new Api.WrongCode({ attemptsRemaining }),
              RateLimited: ({ retryAfterSeconds }) => new Api.TooOften({ retryAfterSeconds }),
              InvalidRequest: () => new Api.CodeSpent(),
              AttemptsExhausted: () => new Api.CodeSpent(),
              RequestExpired: () => new Api.CodeSpent(),
              RequestNotFound: () => new Api.CodeSpent(),
              AlreadyConsumed: () => new Api.CodeSpent(),
              IdempotencyMismatch: Effect.die,
            }),
          )
        const user = yield* users
          .signIn({ requestId, phoneNumber })
          .pipe(Effect.catchTag("SqlError", () => later))
        return { token: yield* tokens.make(user.id), user }
      }),
    })
  }),
)

const layerUser = HttpApiBuilder.group(Api.Api, "user", (handlers) =>
  handlers.handleAll({ me: () => Api.CurrentUser }),
)

const layerAuthorization = Layer.effect(
  Api.Authorization,
  Effect.gen(function* () {
    const tokens = yield* Tokens
    const users = yield* Users
    return Api.Authorization.of({
      bearer: Effect.fnUntraced(function* (answer, { credential }) {
        const id = yield* tokens.read(Redacted.value(credential))
        const user =
          id === undefined
            ? undefined
            : yield* Effect.catchTag(users.find(id), "SqlError", () => later)
        if (user === undefined) return yield* new Api.NotSignedIn()
        return yield* Effect.provideService(answer, Api.CurrentUser, user)
      }),
    })
  }),
)

/** Adds the application's own routes to the router. */
export const layerRoutes = HttpApiBuilder.layer(Api.Api, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide([layerLogin, layerUser]),
  Layer.provide(layerAuthorization),
  Layer.provide([Tokens.layer, Users.layer]),
)
