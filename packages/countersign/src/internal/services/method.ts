/**
 * Methods of the promise API. The readers of a method are the fields of its input: each field is read by its own,
 * and a field without one is refused. A type check proves that the readers are those of the declared input.
 */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { InvalidRequest } from "@countersign/core/domain/errors/Errors"
import * as FieldNames from "@countersign/core/domain/values/FieldNames"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type At, eachUnknown, type Names, type Shape, type ShapeOf } from "../options/shape.ts"
import type { Scope, Unbound } from "./scope.ts"

type Reader = (value: never) => unknown

/** A reader that takes any value. A method, whose parameter the compiler does not compare. */
interface Field {
  readonly name: string
  read(value: unknown): unknown
}

/** A reader for each field of an input. */
export type ReadersOf<I> = {
  readonly [K in Names<NonNullable<I>>]: (value: At<NonNullable<I>, K>) => unknown
}

/** Refuses readers of fields that the input does not have. */
type Exact<I, R> = R & { readonly [K in Exclude<keyof R, Names<NonNullable<I>>>]: never }

type Value<R> = R extends (value: never) => infer A ? A : never

/** The fields as a service takes them that reports their problems with its own. */
type Parsed<R> = { readonly [K in keyof R]: Value<R[K]> }

/** The fields without problems. */
type Read<R> = { readonly [K in keyof R]: Exclude<Value<R[K]>, FieldProblem.FieldProblem> }

interface OfOrganization {
  readonly organization: OrganizationId
}

type Body<F, Rest extends ReadonlyArray<unknown>, A> = (
  input: F,
  ...rest: Rest
) => Generator<Effect.Effect<unknown, EngineError>, A, never>

const shapes = new WeakMap<Reader, Shape>()

/** Makes the reader of a field that is an object. The unknown fields of the object are refused as well. */
export const nested = <I, A>(
  shape: ShapeOf<I>,
  read: (value: I | undefined) => A,
): ((value: I | undefined) => A) => {
  const reader = (value: I | undefined): A => read(value)
  shapes.set(reader, shape)
  return reader
}

/** Makes the reader of a field whose value is read later. */
export const later =
  <A>() =>
  (value: A): A =>
    value

type Problems = Record<string, ReadonlyArray<FieldProblem.FieldProblem>>

interface Fields {
  /** Returns the problems of the unknown fields; `undefined` if every field is known. */
  readonly unknown: (input: object) => Problems | undefined
  readonly fields: ReadonlyArray<Field>
}

const fieldsOf = (readers: Readonly<Record<string, Reader>>, isOfOrganization: boolean): Fields => {
  const entries = Object.entries(readers)
  const names = Object.keys(readers)
  const known: ReadonlySet<string> = new Set(names)
  const objects = entries.flatMap(([name, reader]) => {
    const shape = shapes.get(reader)
    return shape === undefined ? [] : [[name, shape] as const]
  })
  /** Without objects: nearly every call has known fields only. */
  const isKnown = (input: object): boolean => {
    for (const name in input) if (!known.has(name)) return false
    for (const [name] of objects) if (Reflect.get(input, name) !== undefined) return false
    return true
  }
  const unknown = (input: object): Problems | undefined => {
    if (isKnown(input)) return undefined
    const problems: Problems = {}
    let isRefused = false
    const refuse = (path: ReadonlyArray<string>, others: ReadonlyArray<string>): void => {
      const isOutermost = isOfOrganization && path.length === 1
      const problem = FieldNames.unknownField(path.at(-1) ?? "", others, isOutermost)
      problems[path.join(".")] = [problem]
      isRefused = true
    }
    for (const name of Object.keys(input)) {
      if (!known.has(name) && Reflect.get(input, name) !== undefined) refuse([name], names)
    }
    for (const [name, shape] of objects)
      eachUnknown(shape, Reflect.get(input, name), [name], refuse)
    return isRefused ? problems : undefined
  }
  return { unknown, fields: entries.map(([name, read]) => ({ name, read })) }
}

const notObject = Result.fail(
  new InvalidRequest({ details: { input: [FieldProblem.make("not_object", {})] } }),
)

const read = (
  { fields, unknown }: Fields,
  input: unknown,
  passesProblems: boolean,
): Result.Result<object, InvalidRequest> => {
  const given = input === undefined ? {} : input
  if (typeof given !== "object" || given === null) return notObject
  const refused = unknown(given)
  if (refused !== undefined) return Result.fail(new InvalidRequest({ details: refused }))
  const values: Record<string, unknown> = {}
  let problems: Problems | undefined
  for (const { name, read } of fields) {
    const value = read(Reflect.get(given, name))
    if (!FieldProblem.isFieldProblem(value)) values[name] = value
    else if (input === undefined) return notObject
    else if (passesProblems) values[name] = value
    else problems = { ...problems, [name]: [value] }
  }
  return problems === undefined
    ? Result.succeed(values)
    : Result.fail(new InvalidRequest({ details: problems }))
}

type Reading<F> = (input: unknown) => Result.Result<F, InvalidRequest>

/** Makes the function that reads an input. `parsed` passes the problems of fields on as their values. */
export function reading<R>(readers: R, problems: "refused", isOf?: "organization"): Reading<Read<R>>
export function reading<R>(
  readers: R,
  problems: "parsed",
  isOf?: "organization",
): Reading<Parsed<R>>
export function reading(
  readers: Readonly<Record<string, Reader>>,
  problems: "refused" | "parsed",
  isOf?: "organization",
): Reading<object> {
  const fields = fieldsOf(readers, isOf === "organization")
  return (input) => read(fields, input, problems === "parsed")
}

const performing =
  <F, I, Rest extends ReadonlyArray<unknown>, A>(
    read: (input: I, organization: Scope["organization"]) => Result.Result<F, EngineError>,
    perform: (input: F, ...rest: Rest) => Effect.Effect<A, EngineError>,
  ): Unbound<(input: I, ...rest: Rest) => Promise<A>> =>
  ({ organization, run }) =>
  (input, ...rest) =>
    run(
      Effect.suspend(() => {
        const fields = read(input, organization)
        return Result.isFailure(fields)
          ? Effect.fail(fields.failure)
          : perform(fields.success, ...rest)
      }),
      [input, ...rest],
    )

const generated =
  <F, Rest extends ReadonlyArray<unknown>, A>(body: Body<F, Rest, A>) =>
  (input: F, ...rest: Rest): Effect.Effect<A, EngineError> =>
    Effect.gen(() => body(input, ...rest))

const ofOrganization =
  <F extends object>(read: Reading<F>) =>
  (
    input: unknown,
    organization: Scope["organization"],
  ): Result.Result<F & OfOrganization, EngineError> => {
    const fields = read(input)
    if (Result.isFailure(fields)) return Result.fail(fields.failure)
    return Result.isFailure(organization)
      ? Result.fail(organization.failure)
      : Result.succeed(Object.assign(fields.success, { organization: organization.success }))
  }

/** Makes the method of an input, whose problems are reported before anything else happens. */
export const method = <I, R extends ReadersOf<I>, A, Rest extends ReadonlyArray<unknown>>(
  readers: Exact<I, R>,
  body: Body<Read<R> & OfOrganization, Rest, A>,
): Unbound<(input: I, ...rest: Rest) => Promise<A>> =>
  performing(ofOrganization(reading<R>(readers, "refused", "organization")), generated(body))

/** The same for a service that reports the problems of an input together with those that it finds itself. */
export const parsed = <I, R extends ReadersOf<I>, A>(
  readers: Exact<I, R>,
  body: Body<Parsed<R> & OfOrganization, readonly [], A>,
): Unbound<(input: I) => Promise<A>> =>
  performing(ofOrganization(reading<R>(readers, "parsed", "organization")), generated(body))

/** As `parsed`, for one call of a service, without a generator: for calls that are made often. */
export const served = <I, R extends ReadersOf<I>, S, A>(
  readers: Exact<I, R>,
  serve: (input: Parsed<R> & OfOrganization) => Effect.Effect<S, EngineError>,
  show: (served: S) => A,
): Unbound<(input: I) => Promise<A>> =>
  performing(ofOrganization(reading<R>(readers, "parsed", "organization")), (input) =>
    Effect.map(serve(input), show),
  )

/** As `method`, for what belongs to no organization. */
export const hostMethod = <I, R extends ReadersOf<I>, A>(
  readers: Exact<I, R>,
  body: Body<Read<R>, readonly [], A>,
): Unbound<(input: I) => Promise<A>> => performing(reading<R>(readers, "refused"), generated(body))
