/**
 * Methods of the promise API that follow from operations.
 */
import { times } from "@countersign/core/api/Fields"
import * as Input from "@countersign/core/api/Input"
import * as Listing from "@countersign/core/api/Listing"
import * as Operation from "@countersign/core/api/Operation"
import type { Page, PageInput, PagePromise } from "@countersign/core/api/Page"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Effect from "effect/Effect"
import type { Caller, Parsed } from "@countersign/core/api/Caller"
import type { InvalidRequest, OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Call from "@countersign/core/engine/Call"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Run } from "../errors/run.ts"

type Row = Operation.Operation

/** The caller of the methods of the promise API, and the organization of the calls. */
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
export const served = <O extends Row & { readonly input: { readonly Type: Caller } }, S>(
  operation: O,
  readers: Input.ReadersOf<O>,
  serve: (input: Parsed<O["input"]["Type"]>) => Effect.Effect<S, EngineError>,
  show: (served: S) => O["output"]["Encoded"],
): Unbound<(input: unknown) => Promise<O["output"]["Encoded"]>> =>
  method(Input.readingBy(operation, readers), (input) => Call.map(serve(input), show))

type OutputOf<R> = R extends { readonly output: { readonly Encoded: infer A } } ? A : never

/** The list that an operation returns a part of. */
type ItemsOf<R> = R extends { readonly listing: { readonly items: infer K } }
  ? OutputOf<R>[K & keyof OutputOf<R>]
  : OutputOf<R>

type ItemOf<R> = ItemsOf<R> extends ReadonlyArray<infer T> ? T : never

/** A page, with the members that only this list has. */
type PageOf<R> = Page<ItemOf<R>> &
  (R extends { readonly listing: { readonly items: infer K } }
    ? Omit<OutputOf<R>, (K & PropertyKey) | "next">
    : unknown)

/** The member that `cursor` replaces. */
type Replaced<L> = L extends { readonly isStored: true }
  ? never
  : L extends { readonly from: infer K }
    ? K & PropertyKey
    : never

type Promised<I, A> = object extends I ? (input?: I) => A : (input: I) => A

export type Promises<O extends Operation.Operations> = {
  readonly [K in keyof O]: O[K] extends { readonly listing: infer L }
    ? Promised<
        Omit<O[K]["input"]["Encoded"], "organization" | "limit" | Replaced<L>> & PageInput,
        PagePromise<ItemOf<O[K]>, PageOf<O[K]>>
      >
    : Promised<Omit<O[K]["input"]["Encoded"], "organization">, Promise<O[K]["output"]["Encoded"]>>
}

type Fields = Readonly<Record<string, unknown>>

type Method = (input: Fields) => Effect.Effect<unknown, EngineError>

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
      const { listing } = operation
      const show = Operation.showing(operation)
      const perform = (fields: Fields) =>
        Effect.map(methods[name]?.(fields) ?? Effect.die(name), show)
      if (listing === undefined) return [name, methodOf(operation, perform)] as const
      const list = { ...operation, input: Listing.inputOf(operation, listing) }
      const part = (fields: Fields) =>
        Effect.fromResult(Listing.performing(operation, listing, fields)).pipe(
          Effect.flatMap(perform),
          Effect.map((output) => Listing.pageOf(listing, output, fields)),
        )
      return [name, pages(methodOf(list, part))] as const
    }),
  )
}

/** Makes a list from the read of a page. It reads the first page at once, and the others when they are iterated. */
const pages =
  (
    method: Unbound<(input?: object) => Promise<Page<unknown>>>,
  ): Unbound<(input?: object) => PagePromise<unknown>> =>
  (scope) => {
    const read = method(scope)
    return (input) => {
      const first = read(input)
      const iterate = async function* () {
        let page = await first
        yield* page.items
        while (page.next !== null) {
          page = await read({ ...input, cursor: page.next })
          yield* page.items
        }
      }
      return Object.assign(first, { [Symbol.asyncIterator]: iterate })
    }
  }

const methodOf = <A>(
  operation: Row,
  perform: (fields: Fields) => Effect.Effect<A, EngineError>,
): Unbound<(input?: unknown) => Promise<A>> => {
  const isInclusive = operation.input.fields["to"] === times.to
  return method(Input.reading(operation), (input) => {
    const fields: Fields = Object(input)
    const { to } = fields
    // The services include `to`.
    return perform(isInclusive && typeof to === "number" ? { ...fields, to: to - 1 } : fields)
  })
}
