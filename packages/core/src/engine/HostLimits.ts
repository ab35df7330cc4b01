/** The limits of the host as an option of the engine. */
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { defaults, Limits } from "../domain/limits/Limits.ts"
import { hostLimits, type PlainLimits } from "../domain/limits/LimitOverrides.ts"

/** Sets limits in every engine that is built over this layer. Throws a `RangeError` if one cannot be used. */
export const layer = (own: PlainLimits): Layer.Layer<never> =>
  Layer.succeed(
    Limits,
    Result.getOrThrowWith(
      hostLimits(own, defaults),
      ({ message }) => new RangeError(`limits: ${message}`),
    ),
  )
