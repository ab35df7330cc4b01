import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../src/domain/errors/Errors.ts"

/** The names of the fields for which a call is refused, in alphabetical order. */
export const invalidFields = <R>(call: Effect.Effect<unknown, unknown, R>) =>
  Effect.map(Effect.flip(call), (error) =>
    error instanceof InvalidRequest ? Object.keys(error.details).toSorted() : [],
  )
