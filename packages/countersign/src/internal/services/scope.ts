import type { InvalidRequest, OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type * as Result from "effect/Result"
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

/** Gives the methods of a service their caller. */
export function bind<S>(methods: Methods<S>, scope: Scope): S
export function bind(methods: Methods<Readonly<Record<string, unknown>>>, scope: Scope): unknown {
  const bound: Record<string, unknown> = {}
  for (const name of Object.keys(methods)) bound[name] = methods[name]?.(scope)
  return bound
}
