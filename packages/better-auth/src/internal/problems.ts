import type { GenericEndpointContext } from "better-auth"
import { APIError } from "better-auth/api"
import {
  type CountersignError,
  errorResponse,
  type FieldProblem,
  InvalidRequestError,
  isCountersignError,
} from "countersign"
import { ownErrors } from "./ownErrors.ts"

/** The name that better-auth has for each status of an error of the engine. */
const statusNames = {
  400: "BAD_REQUEST",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  410: "GONE",
  422: "UNPROCESSABLE_ENTITY",
  429: "TOO_MANY_REQUESTS",
  503: "SERVICE_UNAVAILABLE",
} as const

const nameOf = (status: number) =>
  Object.entries(statusNames).find(([known]) => known === String(status))?.[1] ??
  "INTERNAL_SERVER_ERROR"

const apiErrorOf = (error: CountersignError): APIError => {
  const { body, headers, status } = errorResponse(error)
  return new APIError(nameOf(status), { ...body }, headers, status)
}

/** Throws an error that only this plugin has. */
export const refuse = (code: keyof typeof ownErrors): never => {
  const { message, status } = ownErrors[code]
  throw new APIError(nameOf(status), { code, message }, { "cache-control": "no-store" }, status)
}

/** Throws the problem of a field. */
export const refuseField = (field: string, problem: FieldProblem): never => {
  throw apiErrorOf(new InvalidRequestError({ details: { [field]: [problem] } }))
}

/** Logs what visitors are not told. No error of the engine contains a number or a code. */
const logHidden = (ctx: GenericEndpointContext, error: CountersignError): void => {
  if (errorResponse(error).body.code === error.code && error.httpStatus < 500) return
  const text = `countersign: ${error.code}: ${error.message}`
  ctx.context.logger.error(text, ...(error.code === "internal" ? [error.cause] : []))
}

/** Turns the errors of the engine into errors of better-auth. */
export const translating = async <A>(ctx: GenericEndpointContext, call: Promise<A>): Promise<A> => {
  try {
    return await call
  } catch (error) {
    if (!isCountersignError(error)) throw error
    logHidden(ctx, error)
    throw apiErrorOf(error)
  }
}
