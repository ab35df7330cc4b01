import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { InvalidRequest } from "../../src/domain/errors/Errors.ts"

/** The codes of the problems for which a call is refused, by field. */
export const invalidCodes = <R>(call: Effect.Effect<unknown, unknown, R>) =>
  Effect.map(Effect.flip(call), (error) =>
    error instanceof InvalidRequest
      ? Record.map(error.details, (problems) => problems.map(({ code }) => code).join())
      : {},
  )

/** The fields for which a call is refused, in alphabetical order. */
export const invalidFields = <R>(call: Effect.Effect<unknown, unknown, R>) =>
  Effect.map(invalidCodes(call), (codes) => Object.keys(codes).toSorted())
