/**
 * The app: two routes of its own, and the engine's interface at `/api/v2`.
 */
import {
  type Countersign,
  CountersignError,
  type ErrorCode,
  fieldProblem,
  InvalidRequestError,
  parsePhoneNumber,
} from "countersign"
import { countersignFastify } from "@countersign/fastify"
import Fastify, { type FastifyError, type FastifyInstance } from "fastify"

/** What each of the engine's errors is to the clients of this app. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  not_on_whatsapp: 400,
  wrong_code: 400,
  request_not_found: 404,
  request_expired: 410,
  attempts_exhausted: 429,
  rate_limited: 429,
  too_many_pending: 429,
  sending_failed: 502,
  insufficient_balance: 503,
  unavailable: 503,
  // What follows is for whoever runs the app to put right.
  address_not_allowed: 500,
  configuration: 500,
  disposed: 500,
  internal: 500,
  api_key_not_found: 500,
  message_not_found: 500,
  organization_exists: 500,
  organization_not_found: 500,
  sender_unusable: 500,
  start: 500,
  unauthorized: 500,
}

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
    const status = statuses[error.code]
    if (status >= 500) request.log.error(error)
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
