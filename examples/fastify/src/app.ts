/**
 * The app: three routes of its own, the engine's interface at `/api/v2`, and the dashboard at `/dashboard`.
 */
import { type Countersign, CountersignError, errorResponse, parsePhoneNumber } from "countersign"
import { dashboard, signInWithPassword } from "@countersign/dashboard"
import { countersignFastify } from "@countersign/fastify"
import Fastify, { type FastifyError, type FastifyInstance } from "fastify"
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

export const makeApp = (countersign: Countersign): FastifyInstance => {
  const { verifications } = countersign
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

  app.post<{ Body: { readonly phoneNumber: string; readonly locale?: string } }>(
    "/numbers",
    { schema: confirmNumber },
    async ({ body: { locale, phoneNumber: typed }, headers: { cookie } }, reply) => {
      // Without a country code it is a number of Bangladesh.
      const phoneNumber = parsePhoneNumber(typed, { country: "BD" })
      if (phoneNumber === undefined) return reply.code(400).send({ code: "invalid_number" })
      const { expiresAt, requestId } = await verifications.send({ phoneNumber, locale })
      reply.header("set-cookie", sessions.begin(cookie, requestId))
      return reply.code(202).send({ expiresAt })
    },
  )

  app.post("/numbers/resend", async ({ headers: { cookie } }, reply) => {
    const requestId = sessions.requestIdOf(cookie)
    const { resendAt } = await verifications.resend({ requestId })
    return reply.code(202).send({ resendAt })
  })

  app.post<{ Body: { readonly code: string } }>(
    "/numbers/confirm",
    { schema: confirmCode },
    async ({ body: { code }, headers: { cookie } }) => {
      const requestId = sessions.requestIdOf(cookie)
      const { phoneNumber, verifiedAt } = await verifications.verify({ requestId, code })
      sessions.end(cookie)
      return { phoneNumber, confirmedAt: verifiedAt }
    },
  )

  return app
}
