/**
 * The application's own interface: what it offers, and what can go wrong, in its own words.
 */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as Schema from "effect/Schema"

export const User = Schema.Struct({
  id: Schema.String,
  phoneNumber: Schema.String,
  /** How often the user has signed in. */
  signIns: Schema.Int,
})
export type User = typeof User.Type

export class InvalidNumber extends Schema.TaggedError<InvalidNumber>()(
  "InvalidNumber",
  { reason: Schema.String },
  { httpApiStatus: 400 },
) {}

export class WrongCode extends Schema.TaggedError<WrongCode>()(
  "WrongCode",
  { attemptsRemaining: Schema.Int },
  { httpApiStatus: 400 },
) {}

/** No token, or one that is not good. */
export class NotSignedIn extends Schema.TaggedError<NotSignedIn>()(
  "NotSignedIn",
  {},
  { httpApiStatus: 401 },
) {}

/** The code has expired, has failed, has been used, or never was one. A new one helps. */
export class CodeSpent extends Schema.TaggedError<CodeSpent>()(
  "CodeSpent",
  {},
  { httpApiStatus: 410 },
) {}

/** Codes are on their way to this number already. */
export class TooManyCodes extends Schema.TaggedError<TooManyCodes>()(
  "TooManyCodes",
  {},
  { httpApiStatus: 429 },
) {}

export class TooOften extends Schema.TaggedError<TooOften>()(
  "TooOften",
  { retryAfterSeconds: Schema.Int },
  { httpApiStatus: 429 },
) {}

/** Nothing the caller could change. */
export class Unavailable extends Schema.TaggedError<Unavailable>()(
  "Unavailable",
  { retryAfterSeconds: Schema.Int },
  { httpApiStatus: 503 },
) {}

export class CurrentUser extends Context.Service<CurrentUser, User>()(
  "effect-native/Api/CurrentUser",
) {}

export class Authorization extends HttpApiMiddleware.Service<
  Authorization,
  { provides: CurrentUser }
>()("effect-native/Api/Authorization", {
  security: { bearer: HttpApiSecurity.bearer },
  error: [NotSignedIn, Unavailable],
}) {}

export class LoginGroup extends HttpApiGroup.make("login").add(
  HttpApiEndpoint.post("start", "/login", {
    payload: Schema.Struct({ phoneNumber: Schema.String }),
    success: Schema.Struct({ requestId: Schema.String, expiresInSeconds: Schema.Int }),
    error: [InvalidNumber, TooManyCodes, TooOften, Unavailable],
  }),
  HttpApiEndpoint.post("verify", "/login/verify", {
    payload: Schema.Struct({ requestId: Schema.String, code: Schema.String }),
    success: Schema.Struct({ token: Schema.String, user: User }),
    error: [WrongCode, CodeSpent, TooOften, Unavailable],
  }),
) {}

export class UserGroup extends HttpApiGroup.make("user")
  .add(HttpApiEndpoint.get("me", "/me", { success: User }))
  .middleware(Authorization) {}

export class Api extends HttpApi.make("effect-native").add(LoginGroup).add(UserGroup) {}
