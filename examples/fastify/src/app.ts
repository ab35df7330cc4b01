/**
 * The app: two routes of its own, and the engine's interface at `/api/v2`.
 */
import {
  type Countersign,
  CountersignError,
  fieldProblem,
  InvalidRequestError,
  parsePhoneNumber,
} from "countersign"
import { countersignFastify } from "@countersign/fastify"
import Fastify, { type FastifyError, type FastifyInstance } from "fastify"

/** Their members say what a client can do about it: how many attempts are left, how long to wait. */
const bodyOf = (error: CountersignError, status: number): object => {
  const { code } = error
  if (status >= 500) return { code, error: "That did not work. Please try again later." }
  return { ...error, code, error: error.message }
}

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
    required: ["requestId", "code"],
    additionalProperties: false,
    properties: {
      requestId: { type: "string", maxLength: 100 },
      code: { type: "string", minLength: 1, maxLength: 32 },
    },
  },
} as const

/** E.164, from a number as people type it. Without a country code it is one of Bangladesh. */
const toE164 = (typed: string): string => {
  const phoneNumber = parsePhoneNumber(typed, { country: "BD" })
  if (phoneNumber !== undefined) return phoneNumber
  throw new InvalidRequestError({ phoneNumber: [fieldProblem("not_phone_number", {})] })
}

export const makeApp = (countersign: Countersign): FastifyInstance => {
  const app = Fastify({ logger: { level: "warn" } })

  // Ends the engine as well, when the app closes.
  app.register(countersignFastify(countersign), { prefix: "/api/v2" })

  app.setErrorHandler<FastifyError>((error, request, reply) => {
    // A body that does not fit its schema, among others: Fastify knows what to say.
    if (!(error instanceof CountersignError)) throw error
    // An empty balance is nothing that a client can do about.
    const status = error.code === "insufficient_balance" ? 503 : error.httpStatus
    if (status >= 500) request.log.error(error)
    if ("retryAfterSeconds" in error) reply.header("retry-after", error.retryAfterSeconds)
    return reply.code(status).send(bodyOf(error, status))
  })

  app.post<{ Body: { readonly phoneNumber: string; readonly locale?: string } }>(
    "/numbers",
    { schema: confirmNumber },
    async ({ body }, reply) => {
      const { expiresInSeconds, requestId } = await countersign.verifications.send({
        ...body,
        phoneNumber: toE164(body.phoneNumber),
      })
      return reply.code(202).send({ requestId, expiresInSeconds })
    },
  )

  app.post<{ Body: { readonly requestId: string; readonly code: string } }>(
    "/numbers/confirm",
    { schema: confirmCode },
    async ({ body }) => {
      const { phoneNumber, verifiedAt } = await countersign.verifications.check(body)
      return { phoneNumber, confirmedAt: verifiedAt }
    },
  )

  return app
}
