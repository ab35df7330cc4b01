/**
 * The schema of durations, for bodies, descriptions and options. Its problem states what to write instead.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Duration from "../domain/values/Duration.ts"
import { duration } from "./InputReaders.ts"
import { isFieldProblem } from "../domain/values/FieldProblem.ts"

// Accepts every value, so that the problem of a bare number states what it probably means. Effect does not describe
// the checks of `Unknown`.
const encoded = Schema.Any.check(
  Schema.makeFilter<unknown>(() => true, { toJsonSchema: () => ({ type: "string" }) }),
).annotate({ description: "A number with its unit.", examples: ["60 seconds", "5 minutes"] })

/** A number with its unit. */
export const DurationSchema = encoded.pipe(
  Schema.decodeTo(
    Schema.declare(Duration.is),
    SchemaTransformation.transformEffect({
      decode: (value: unknown) => {
        const read = duration(value)
        return isFieldProblem(read)
          ? Effect.fail(new SchemaIssue.InvalidValue({ message: read.message }))
          : Effect.succeed(read)
      },
      encode: (text: Duration.Duration): Effect.Effect<unknown> => Effect.succeed(text),
    }),
  ),
)
