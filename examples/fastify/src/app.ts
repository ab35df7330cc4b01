/**
 * The app: two routes of its own, the engine's interface at `/api/v2`, and the dashboard at `/dashboard`.
 */
import {
  type Countersign,
  CountersignError,
  errorResponse,
  fieldProblem,
  InvalidRequestError,
  parsePhoneNumber,
} from "countersign"
import { dashboard, signInWithPassword } from "@countersign/dashboard"
import { countersignFastify } from "@countersign/fastify"
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify"
import { makeSessions } from "./sessions.ts"

const confirmNumber = {
  body: {
    type: "object",
    required: ["phoneNumber"],
    additionalProperties: false,
    properties: {
      phoneNumber: { type: "string", maxLength: 64 },
      locale: { enum: ["en-us", "bn-bd"] },
    },
  },
} as const

const confirmCode = {
  body: {
    type: "object",
    required: ["code"],
    additionalProperties: false,
    properties: {
      code: { type: "string", minLength: 1, maxLength: 32 },
    },
  },
} as const

/** E.164, from a number as people type it. Without a country code it is one of Bangladesh. */
const toE164 = (typed: string): string => {
  const phoneNumber = parsePhoneNumber(typed, { country: "BD" })
  if (phoneNumber !== undefined) return phoneNumber
  throw new InvalidRequestError({
    details: { phoneNumber: [fieldProblem("not_phone_number", {})] },
  })
}

const withoutCode = { code: "no_code", error: "Ask for a code first." }

export const makeApp = (countersign: Countersign): FastifyInstance => {
  const sessions = makeSessions()
  const app = Fastify({ logger: { level: "warn" } })

  // Ends the engine as well, when the app closes.
  app.register(countersignFastify(countersign), { prefix: "/api/v2" })

  const password = process.env["DASHBOARD_PASSWORD"]
  if (password) {
    // An app with a login of its own asks its sessions: see `express-postgres`.
    const authorize = signInWithPassword({ password })
    const admin = countersign.admin({ authorize, pages: dashboard({ signOutUrl: "sign-out" }) })
    app.register(countersignFastify(admin), { prefix: "/dashboard" })
  }

  // For the check of a balancer.
  app.get("/ready", (_request, reply) => reply.code(countersign.isReady() ? 200 : 503).send())

  app.setErrorHandler<FastifyError>((error, request, reply) => {
    // A body that does not fit its schema, among others: Fastify knows what to say.
    if (!(error instanceof CountersignError)) throw error
    const { body, headers, status } = errorResponse(error)
    if (status >= 500) request.log.error(error)
    return reply.code(status).headers(headers).send(body)
  })

  /** Sends a code, and begins the session that waits for it. */
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    input: { readonly phoneNumber: string; readonly locale?: string },
  ): Promise<FastifyReply> => {
    const { expiresAt, phoneNumber, requestId } = await countersign.verifications.send(input)
    const cookie = sessions.begin(request.headers.cookie, { phoneNumber, requestId })
    return reply.header("set-cookie", cookie).code(202).send({ expiresAt })
  }

  app.post<{ Body: { readonly phoneNumber: string; readonly locale?: string } }>(
    "/numbers",
    { schema: confirmNumber },
    async (request, reply) => {
      const phoneNumber = toE164(request.body.phoneNumber)
      return send(request, reply, { ...request.body, phoneNumber })
    },
  )

  app.post("/numbers/resend", async (request, reply) => {
    const session = sessions.find(request.headers.cookie)
    if (session === undefined) return reply.code(409).send(withoutCode)
    const retryAfterSeconds = sessions.claimResend(request.headers.cookie)
    if (retryAfterSeconds === 0) {
      return send(request, reply, { phoneNumber: session.phoneNumber })
    }
    const error = `Wait ${retryAfterSeconds} seconds before the code is sent again.`
    return reply
      .header("retry-after", retryAfterSeconds)
      .code(429)
      .send({ code: "cooldown", error, retryAfterSeconds })
  })

  app.post<{ Body: { readonly code: string } }>(
    "/numbers/confirm",
    { schema: confirmCode },
    async ({ body: { code }, headers: { cookie } }, reply) => {
      const session = sessions.find(cookie)
      if (session === undefined) return reply.code(409).send(withoutCode)
      const { requestId } = session
      const { phoneNumber, verifiedAt } = await countersign.verifications.verify({
        requestId,
        code,
      })
      sessions.end(cookie)
      return { phoneNumber, confirmedAt: verifiedAt }
    },
  )

  return app
}
