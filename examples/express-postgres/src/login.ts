/**
 * The sign-in: from a phone number to a session. Each route ends with the page, or leads to it.
 */
import {
  AlreadyVerifiedError,
  type Channel,
  type Countersign,
  fieldProblem,
  InvalidRequestError,
  parsePhoneNumber,
  RequestExpiredError,
  RequestNotFoundError,
  type VerificationHistory,
} from "countersign"
import express, { type ErrorRequestHandler, type Request, type Response } from "express"
import { clientOf } from "./client.ts"
import { readCookie, type sessionCookie } from "./cookie.ts"
import { render } from "./page.ts"
import { type Problem, problemOf, statusOf } from "./problems.ts"
import { lifetimeSeconds, type Session, type Sessions } from "./sessions.ts"
import { isLanguage, type Language, languages, locales } from "./words.ts"

export interface Parts {
  readonly countersign: Countersign
  readonly sessions: Sessions
  readonly cookie: ReturnType<typeof sessionCookie>
  /** The channels that users may choose. */
  readonly channels: ReadonlyArray<Channel>
  /** The engine's time. */
  readonly now: () => Date
}

/** A code that was sent to sign in signs in, and confirms nothing else. */
const purpose = "login"

/** A field of a form, which may be anything. */
const field = (body: unknown, name: string): string => {
  if (typeof body !== "object" || body === null) return ""
  const value: unknown = Object.getOwnPropertyDescriptor(body, name)?.value
  return typeof value === "string" ? value : ""
}

/** E.164, from a number as people type it. Without a country code it is one of Bangladesh. */
const phoneNumberIn = (body: unknown): string => {
  const phoneNumber = parsePhoneNumber(field(body, "phoneNumber"), { country: "BD" })
  if (phoneNumber !== undefined) return phoneNumber
  throw new InvalidRequestError({
    details: { phoneNumber: [fieldProblem("not_phone_number", {})] },
  })
}

/** Users paste whole messages. The code is the first group of six digits. */
const codeIn = (body: unknown): string => {
  const text = field(body, "code")
  return /(?<!\p{Nd})\p{Nd}{6}(?!\p{Nd})/u.exec(text)?.[0] ?? text.slice(0, 32)
}

const clientIn = ({ ip }: Request): string | undefined => ip && clientOf(ip)

/** The session's request. Without one, the user has to ask for a code first. */
const requestIdOf = (session: Session | undefined): string => {
  if (typeof session?.requestId === "string") return session.requestId
  throw new RequestNotFoundError()
}

const languageOf = (request: Request): Language => {
  const chosen = readCookie(request, "language")
  if (isLanguage(chosen)) return chosen
  const accepted = request.acceptsLanguages([...languages])
  return isLanguage(accepted) ? accepted : "en"
}

// oxlint-disable oxc/no-async-endpoint-handlers -- Express 5 takes care of what they reject with
export const login = (parts: Parts): express.Router => {
  const { channels, cookie, countersign, now, sessions } = parts
  const { verifications } = countersign
  const router = express.Router().use(express.urlencoded({ extended: false, limit: "10kb" }))

  const sessionOf = async (request: Request): Promise<Session | undefined> => {
    const id = readCookie(request, cookie.name)
    return id === undefined ? undefined : sessions.find(id)
  }

  const end = async (request: Request): Promise<void> => {
    const id = readCookie(request, cookie.name)
    if (id !== undefined) await sessions.remove(id)
  }

  /** Every step gets a session with a new id; the one before it ends. */
  const begin = async (request: Request, response: Response, session: Session): Promise<void> => {
    await end(request)
    const id = await sessions.create(session)
    const maxAge = lifetimeSeconds(session) * 1_000
    response.cookie(cookie.name, id, { ...cookie.options, maxAge })
  }

  /** Ends a request that the user has given up, unless it has ended already. It no longer counts as pending. */
  const cancel = async (requestId: string): Promise<void> => {
    try {
      await verifications.cancel({ requestId })
    } catch (error) {
      const hasEnded =
        error instanceof AlreadyVerifiedError ||
        error instanceof RequestExpiredError ||
        error instanceof RequestNotFoundError
      if (!hasEnded) throw error
    }
  }

  /** `undefined` if the engine no longer has the request. */
  const stateOf = async (requestId: string): Promise<VerificationHistory | undefined> => {
    try {
      return await verifications.history({ requestId })
    } catch (error) {
      if (error instanceof RequestNotFoundError) return undefined
      throw error
    }
  }

  const show = async (request: Request, response: Response, problem?: Problem): Promise<void> => {
    const session = await sessionOf(request)
    const requestId = session?.requestId
    const view = {
      language: languageOf(request),
      channels,
      now: now(),
      session,
      request: requestId ? await stateOf(requestId) : undefined,
      problem,
      typed: field(request.body, "phoneNumber") || undefined,
    }
    response.type("html").set("Cache-Control", "no-store").send(render(view))
  }

  router.get("/", async (request, response) => {
    const { language } = request.query
    if (!isLanguage(language)) return show(request, response)
    response.cookie("language", language, cookie.options).redirect(303, "/")
  })

  router.post("/login/start", async (request, response) => {
    const before = await sessionOf(request)
    // Another tab has signed in.
    if (before?.requestId === null) return response.redirect(303, "/")
    const { phoneNumber, requestId } = await verifications.send({
      phoneNumber: phoneNumberIn(request.body),
      locale: locales[languageOf(request)],
      purpose,
      client: clientIn(request),
    })
    await begin(request, response, { phoneNumber, requestId })
    // The session waits for the new code. If the old request cannot be cancelled, it expires.
    if (before !== undefined) await cancel(before.requestId).catch(console.error)
    response.redirect(303, "/")
  })

  router.post("/login/resend", async (request, response) => {
    const requestId = requestIdOf(await sessionOf(request))
    const channel = channels.find((one) => one === field(request.body, "channel"))
    await verifications.resend({ requestId, channel })
    response.redirect(303, "/")
  })

  router.post("/login/cancel", async (request, response) => {
    await cancel(requestIdOf(await sessionOf(request)))
    response.redirect(303, "/")
  })

  router.post("/login/verify", async (request, response) => {
    const before = await sessionOf(request)
    // Another tab has signed in.
    if (before?.requestId === null) return response.redirect(303, "/")
    const requestId = requestIdOf(before)
    const code = codeIn(request.body)
    const client = clientIn(request)
    // Of all calls, exactly one resolves.
    const { phoneNumber } = await verifications.verify({ requestId, code, purpose, client })
    await begin(request, response, { phoneNumber, requestId: null })
    response.redirect(303, "/")
  })

  router.post("/logout", async (request, response) => {
    await end(request)
    response.clearCookie(cookie.name, cookie.options).redirect(303, "/")
  })

  /** Shows the step again, with the problem. */
  const failed: ErrorRequestHandler = async (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error)
    const status = statusOf(error)
    const problem = problemOf(error)
    if (status >= 500) console.error(error)
    if (problem.retryAfterSeconds !== undefined) {
      response.set("Retry-After", String(problem.retryAfterSeconds))
    }
    await show(request, response.status(status), problem)
  }
  router.use(failed)

  return router
}
// oxlint-enable oxc/no-async-endpoint-handlers
