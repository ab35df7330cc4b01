/**
 * Durations that people type.
 */
import * as Duration from "@countersign/core/domain/values/Duration"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Result from "effect/Result"
import * as CliError from "effect/cli/CliError"

/** A flag with a duration within bounds, in milliseconds. `unit`: what a bare number most likely counts. */
export const duration = (
  name: string,
  bounds: { readonly min: number; readonly max: number },
  unit?: Duration.Unit,
) =>
  Flag.String(name).pipe(
    Flag.withMetavar("DURATION"),
    Flag.mapEffect((value) =>
      Result.match(Duration.within(value, bounds, unit), {
        onSuccess: (millis) => Effect.succeed(millis),
        onFailure: ({ message }) =>
          Effect.fail(
            new CliError.InvalidValue({ option: name, value, expected: message, kind: "flag" }),
          ),
      }),
    ),
  )
