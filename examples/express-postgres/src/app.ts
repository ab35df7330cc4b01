/**
 * The app: a page to sign in with, the routes behind it, and the engine's own interface for other
 * programs.
 */
import {
  type Countersign,
  CountersignError,
  fieldProblem,
  InvalidRequestError,
  parsePhoneNumber,
} from "countersign"
import { countersignExpress } from "@countersign/express"
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express"
import { join } from "node:path"
import { bodyFor, statusFor, tooEarly } from "./answers.ts"
import type { Cookie } from "./cookie.ts"
import { lifetimeSeconds, type Session, type Sessions } from "./sessions.ts"

interface Parts {
  readonly countersign: Countersign
  readonly sessions: Sessions
  readonly cookie: Cookie
  /** How long a user waits before a code can be sent again. */
  readonly resendSeconds: number
}

/** The page loads its own script and its own style, and nothing else from anywhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const secureHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    "Content-Security-Policy": policy,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  })
  next()
}

/**
 * Nothing is changed on behalf of another site. `SameSite=Lax` keeps the cookie from such requests already;
 * this also keeps another site from signing its own visitor in. A page of ours can send JSON, another
 * site's form cannot.
 */
const fromOurPage: RequestHandler = (request, response, next) => {
  const site = request.get("sec-fetch-site") ?? "same-origin"
  if (request.method !== "POST") return next()
  if (site !== "same-origin") return void response.status(403).json({ error: "Not from here." })
  if (!request.is("json")) return void response.status(415).json({ error: "Send JSON." })
  next()
}

/** A member of a body, which may be anything. */
const text = (body: unknown, name: string): string => {
  if (typeof body !== "object" || body === null) return ""
  const value: unknown = Object.getOwnPropertyDescriptor(body, name)?.value
  return typeof value === "string" ? value : ""
}

/** E.164, from a number as people type it. Without a country code it is one of Bangladesh. */
const phoneNumberIn = (body: unknown): string => {
  const phoneNumber = parsePhoneNumber(text(body, "phoneNumber"), { country: "BD" })
  if (phoneNumber !== undefined) return phoneNumber
  throw new InvalidRequestError({ phoneNumber: [fieldProblem("not_phone_number", {})] })
}

const withoutLogin = { error: "Please ask for a code first.", code: "no_login" }

/** What a page may know of its session. */
const shown = (session: Session | undefined) => ({
  signedIn: session?.requestId === null,
  phoneNumber: session?.phoneNumber ?? null,
})

// oxlint-disable oxc/no-async-endpoint-handlers -- Express 5 takes care of what they reject with
const login = ({ cookie, countersign, resendSeconds, sessions }: Parts): express.Router => {
  const router = express.Router()

  /** Every step gets a session with a new id; the one before it ends. */
  const begin = async (response: express.Response, session: Session): Promise<void> => {
    const id = await sessions.create(session)
    response.append("Set-Cookie", cookie.write(id, lifetimeSeconds(session)))
    response.json(shown(session))
  }

  /** Sends a code, and begins the session that waits for it. */
  const send = async (
    request: express.Request,
    response: express.Response,
    to: string,
  ): Promise<void> => {
    const { phoneNumber, requestId } = await countersign.verifications.send({ phoneNumber: to })
    const before = cookie.read(request)
    if (before !== undefined) await sessions.remove(before)
    // The browser never gets the request's id, so it can only check codes that it has requested itself.
    await begin(response, { phoneNumber, requestId, sentAt: Date.now() })
  }

  router.get("/me", async (request, response) => {
    const id = cookie.read(request)
    response.set("Cache-Control", "no-store")
    response.json(shown(id === undefined ? undefined : await sessions.find(id)))
  })

  router.post("/login/start", async (request, response) => {
    await send(request, response, phoneNumberIn(request.body))
  })

  router.post("/login/resend", async (request, response) => {
    const id = cookie.read(request)
    const session = id === undefined ? undefined : await sessions.find(id)
    if (id === undefined || session === undefined || session.requestId === null) {
      return void response.status(409).json(withoutLogin)
    }
    const now = Date.now()
    const left = Math.ceil((session.sentAt - now) / 1_000 + resendSeconds)
    // Of two presses at once, one sends.
    const isSent = left <= 0 && !(await sessions.touch(id, session.sentAt, now))
    const retryAfterSeconds = isSent ? resendSeconds : left
    if (retryAfterSeconds <= 0) return send(request, response, session.phoneNumber)
    response.set("Retry-After", String(retryAfterSeconds)).status(429)
    response.json(tooEarly(retryAfterSeconds))
  })

  router.post("/login/verify", async (request, response) => {
    const id = cookie.read(request)
    const session = id === undefined ? undefined : await sessions.find(id)
    if (id === undefined || session === undefined || session.requestId === null) {
      return void response.status(409).json(withoutLogin)
    }
    const { phoneNumber } = await countersign.verifications.check({
      requestId: session.requestId,
      code: text(request.body, "code"),
    })
    // A verified request accepts every later check. It signs in once, with the session that requested it.
    if (!(await sessions.remove(id))) return void response.status(409).json(withoutLogin)
    await begin(response, { phoneNumber, requestId: null, sentAt: session.sentAt })
  })

  router.post("/logout", async (request, response) => {
    const id = cookie.read(request)
    if (id !== undefined) await sessions.remove(id)
    response.append("Set-Cookie", cookie.clear())
    response.json(shown(undefined))
  })

  return router
}

// oxlint-enable oxc/no-async-endpoint-handlers

/** Body parsers put the status of a bad request here. */
const statusOf = (error: unknown): number => {
  const status = error instanceof Error && "status" in error ? error.status : undefined
  return typeof status === "number" && status < 500 ? status : 500
}

const failed: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) return next(error)
  if (error instanceof CountersignError) {
    const status = statusFor(error)
    if (status >= 500) console.error(error)
    if ("retryAfterSeconds" in error) response.set("Retry-After", String(error.retryAfterSeconds))
    return void response.status(status).json(bodyFor(error))
  }
  const status = statusOf(error)
  if (status === 500) console.error(error)
  const words = status === 500 ? "Something went wrong." : "The request cannot be read."
  response.status(status).json({ error: words })
}

export const makeApp = (parts: Parts): Express => {
  const app = express().disable("x-powered-by")
  // It has its own way of telling who is calling: keys, and no cookies.
  app.use("/api/v2", countersignExpress(parts.countersign))
  app.use(secureHeaders, fromOurPage, express.json({ limit: "10kb" }))
  app.use(login(parts))
  app.use(express.static(join(import.meta.dirname, "../public")))
  app.use(failed)
  return app
}
