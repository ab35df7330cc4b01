import type { GenericEndpointContext, User } from "better-auth"
import {
  APIError,
  createAuthEndpoint,
  formCsrfMiddleware,
  getSessionFromCtx,
  sensitiveSessionMiddleware,
} from "better-auth/api"
import { setSessionCookie } from "better-auth/cookies"
import { parseUserOutput } from "better-auth/db"
import { checkArguments } from "./common.ts"
import { errorCodes } from "./errorCodes.ts"
import * as Inputs from "./inputs.ts"
import { refuse, translating } from "./problems.ts"
import type { Idle, Purpose } from "./protocol.ts"
import { Requests } from "./requests.ts"
import type {
  CountersignEndpoints,
  CountersignOptions,
  CountersignPlugin,
  Engine,
} from "./types.ts"
import { giveNumber, userOf } from "./users.ts"

const optionNames = [
  "country",
  "client",
  "signUp",
  "newUser",
  "codeLength",
  "expiresIn",
  "rateLimit",
  "clock",
] as const satisfies ReadonlyArray<keyof CountersignOptions>

const idle: Idle = { status: "idle" }

/** Refuses requests that a page of another origin makes, also those without a cookie. */
const use = [formCsrfMiddleware]

/** Runs a handler. No answer is kept, not even by a browser. */
const answering = <A>(ctx: GenericEndpointContext, call: () => Promise<A>): Promise<A> => {
  ctx.setHeader("cache-control", "no-store")
  return translating(ctx, call())
}

const unauthorized = { code: "UNAUTHORIZED", message: "Unauthorized" } as const

/** The user whom a number is for; `undefined` for a login. */
const userIdFor = async (
  ctx: GenericEndpointContext,
  purpose: Purpose,
): Promise<string | undefined> => {
  if (purpose === "login") return undefined
  const session = await getSessionFromCtx(ctx)
  // As better-auth refuses /link.
  if (session === null) throw new APIError("UNAUTHORIZED", unauthorized)
  return session.user.id
}

const endpointsOf = (engine: Engine, options: CountersignOptions): CountersignEndpoints => {
  const requests = new Requests(engine, options)
  const shown = (ctx: GenericEndpointContext, user: User) =>
    parseUserOutput(ctx.context.options, user)
  return {
    countersignStart: createAuthEndpoint(
      "/countersign/start",
      { method: "POST", body: Inputs.start, use },
      (ctx) =>
        answering(ctx, async () =>
          requests.start(ctx, { ...ctx.body, userId: await userIdFor(ctx, ctx.body.purpose) }),
        ),
    ),

    countersignResend: createAuthEndpoint(
      "/countersign/resend",
      { method: "POST", body: Inputs.resend, use },
      (ctx) => answering(ctx, () => requests.resend(ctx, ctx.body)),
    ),

    countersignCheck: createAuthEndpoint(
      "/countersign/check",
      { method: "POST", body: Inputs.check, use },
      (ctx) =>
        answering(ctx, async () => {
          const { phoneNumber } = await requests.verify(ctx, "login", ctx.body)
          const user = await userOf(ctx, phoneNumber, options)
          const session = await ctx.context.internalAdapter.createSession(user.id)
          await setSessionCookie(ctx, { session, user })
          return { token: session.token, user: shown(ctx, user) }
        }),
    ),

    countersignLink: createAuthEndpoint(
      "/countersign/link",
      { method: "POST", body: Inputs.check, use: [...use, sensitiveSessionMiddleware] },
      (ctx) =>
        answering(ctx, async () => {
          const { session, user } = ctx.context.session
          const verified = await requests.verify(ctx, "link", ctx.body)
          // Another user has signed in since the code was sent.
          if (verified.metadata?.["userId"] !== user.id) return refuse("user_changed")
          const updated = await giveNumber(ctx, user.id, verified.phoneNumber)
          await setSessionCookie(ctx, { session, user: updated })
          return { user: shown(ctx, updated) }
        }),
    ),

    countersignCancel: createAuthEndpoint(
      "/countersign/cancel",
      { method: "POST", body: Inputs.ofPurpose, use },
      (ctx) =>
        answering(ctx, async () => {
          await requests.cancel(ctx, ctx.body.purpose)
          return idle
        }),
    ),

    countersignState: createAuthEndpoint(
      "/countersign/state",
      { method: "GET", query: Inputs.ofPurpose },
      (ctx) => answering(ctx, async () => (await requests.waiting(ctx, ctx.query.purpose)) ?? idle),
    ),
  }
}

/**
 * Phone login as a plugin of better-auth. `engine` is the result of `createCountersign`, or of its
 * `organization(id)`.
 */
export const countersign = (
  engine: Engine,
  options: CountersignOptions = {},
): CountersignPlugin => {
  checkArguments(engine, options, optionNames)
  const { max = 10, window = 60 } = options.rateLimit ?? {}
  return {
    id: "countersign",
    endpoints: endpointsOf(engine, options),
    schema: {
      user: {
        fields: {
          phoneNumber: {
            type: "string",
            required: false,
            unique: true,
            sortable: true,
            returned: true,
            input: false,
          },
          phoneNumberVerified: { type: "boolean", required: false, returned: true, input: false },
        },
      },
    },
    rateLimit: [
      {
        window,
        max,
        pathMatcher: (path) => path.startsWith("/countersign/") && path !== "/countersign/state",
      },
    ],
    $ERROR_CODES: errorCodes,
  }
}
