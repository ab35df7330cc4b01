import type { Caller, Parsed } from "@countersign/core/api/Caller"
import * as Input from "@countersign/core/api/Input"
import type { Operation } from "@countersign/core/api/Operation"
import type { InvalidRequest, OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Call from "@countersign/core/engine/Call"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Run } from "../errors/run.ts"

/** Who calls the methods of the promise API, and for which organization. */
export interface Scope {
  readonly run: Run
  /** Each call fails with the failure: that the host names no organization, or one that cannot exist. */
  readonly organization: Result.Result<OrganizationId, InvalidRequest | OrganizationNotFound>
}

/** A method before its caller is known. Readers are made once, and methods for each caller. */
export type Unbound<F> = (scope: Scope) => F

export type Methods<S> = { readonly [K in keyof S]: Unbound<S[K]> }

export type AllMethods<S> = { readonly [K in keyof S]: Methods<S[K]> }

/** Gives the methods of services their caller. */
export function bind<S>(services: AllMethods<S>, scope: Scope): S
export function bind(
  services: AllMethods<Readonly<Record<string, Readonly<Record<string, unknown>>>>>,
  scope: Scope,
): unknown {
  const bound: Record<string, Record<string, unknown>> = {}
  for (const [name, methods] of Object.entries(services)) {
    const own: Record<string, unknown> = (bound[name] = {})
    for (const method of Object.keys(methods)) own[method] = methods[method]?.(scope)
  }
  return bound
}

/** Makes a method that reads its input and performs it. */
export const method =
  <F, Rest extends ReadonlyArray<unknown>, A>(
    read: Input.Reading<F>,
    perform: (fields: F, ...rest: Rest) => Effect.Effect<A, EngineError>,
  ): Unbound<(input?: unknown, ...rest: Rest) => Promise<A>> =>
  ({ organization, run }) =>
  (input, ...rest) =>
    run(
      Call.make((call, done) => {
        const fields = read(input, organization)
        if (Result.isFailure(fields)) done(Exit.fail(fields.failure))
        else call.run(perform(fields.success, ...rest), done)
      }),
    )

/** The method of an operation that is called often, with readers by hand. */
export const served = <O extends Operation & { readonly input: { readonly Type: Caller } }, S>(
  operation: O,
  readers: Input.ReadersOf<O>,
  serve: (input: Parsed<O["input"]["Type"]>) => Effect.Effect<S, EngineError>,
  show: (served: S) => O["output"]["Encoded"],
): Unbound<(input: unknown) => Promise<O["output"]["Encoded"]>> =>
  method(Input.readingBy(operation, readers), (input) => Call.map(serve(input), show))
