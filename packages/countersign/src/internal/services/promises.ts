/**
 * Methods of the promise API that follow from operations.
 */
import * as Input from "@countersign/core/api/Input"
import type * as Operation from "@countersign/core/api/Operation"
import { showing } from "@countersign/core/api/Operation"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Effect from "effect/Effect"
import type { Methods, Scope, Unbound } from "./scope.ts"

type Promised<I, A> = object extends I ? (input?: I) => Promise<A> : (input: I) => Promise<A>

export type Promises<O extends Operation.Operations> = {
  readonly [K in keyof O]: Promised<
    Omit<O[K]["input"]["Encoded"], "organization">,
    O[K]["output"]["Encoded"]
  >
}

type Method = (input: unknown) => Effect.Effect<unknown, EngineError>

/** The methods of a subject, which read their inputs, call the service, and resolve with plain data. */
export function promisesOf<O extends Operation.Operations>(
  operations: O,
  methods: Operation.Methods<O, EngineError>,
): Methods<Promises<O>>
export function promisesOf(
  operations: Operation.Operations,
  methods: Readonly<Record<string, Method>>,
): unknown {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => {
      const read = Input.reading(operation)
      const show = showing(operation)
      const perform = (input: unknown, organization: Scope["organization"]) =>
        Effect.fromResult(read(input, organization)).pipe(
          Effect.flatMap((fields) => methods[name]?.(fields) ?? Effect.die(name)),
          Effect.map(show),
        )
      const method: Unbound<(input: unknown) => Promise<unknown>> =
        ({ organization, run }) =>
        (input) =>
          run(
            Effect.suspend(() => perform(input, organization)),
            [input],
          )
      return [name, method] as const
    }),
  )
}
