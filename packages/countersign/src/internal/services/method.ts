import type { Caller, Parsed } from "@countersign/core/api/Caller"
import * as Input from "@countersign/core/api/Input"
import type { Operation } from "@countersign/core/api/Operation"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Unbound } from "./scope.ts"

/** Makes a method that reads its input and performs it. */
export const method =
  <F, Rest extends ReadonlyArray<unknown>, A>(
    read: Input.Reading<F>,
    perform: (fields: F, ...rest: Rest) => Effect.Effect<A, EngineError>,
  ): Unbound<(input?: unknown, ...rest: Rest) => Promise<A>> =>
  ({ organization, run }) =>
  (input, ...rest) =>
    run(
      Effect.suspend(() => {
        const fields = read(input, organization)
        return Result.isFailure(fields)
          ? Effect.fail(fields.failure)
          : perform(fields.success, ...rest)
      }),
    )

/** The method of an operation that is called often, with readers by hand. */
export const served = <O extends Operation & { readonly input: { readonly Type: Caller } }, S>(
  operation: O,
  readers: Input.ReadersOf<O>,
  serve: (input: Parsed<O["input"]["Type"]>) => Effect.Effect<S, EngineError>,
  show: (served: S) => O["output"]["Encoded"],
): Unbound<(input: unknown) => Promise<O["output"]["Encoded"]>> =>
  method(Input.readingBy(operation, readers), (input) => Effect.map(serve(input), show))
