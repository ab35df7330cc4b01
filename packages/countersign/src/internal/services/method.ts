/**
 * Methods of the promise API. The readers of a method are the fields of its input: each field is read by its own,
 * and a field without one is refused. A type check proves that the readers are those of the declared input.
 */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { InvalidRequest, OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import * as FieldNames from "@countersign/core/domain/values/FieldNames"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Run } from "../errors/run.ts"
import { type At, eachUnknown, type Names, type Shape, type ShapeOf } from "../options/shape.ts"

type Reader = (value: never) => unknown

/** A reader for each field of an input. */
export type ReadersOf<I> = {
  readonly [K in Names<NonNullable<I>>]: (value: At<NonNullable<I>, K>) => unknown
}

/** Refuses readers of fields that the input does not have. */
type Exact<I, R> = R & { readonly [K in Exclude<keyof R, Names<NonNullable<I>>>]: never }

type Value<R> = R extends (value: never) => infer A ? Exclude<A, OrganizationNotFound> : never

/** The fields as a service takes them that reports their problems with its own. */
type Parsed<R> = {
  readonly [K in keyof R]: K extends "organization"
    ? Exclude<Value<R[K]>, FieldProblem.FieldProblem>
    : Value<R[K]>
}

/** The fields without problems. */
type Read<R> = { readonly [K in keyof R]: Exclude<Value<R[K]>, FieldProblem.FieldProblem> }

type Body<Args extends ReadonlyArray<unknown>, A> = (
  ...args: Args
) => Generator<Effect.Effect<unknown, EngineError>, A, never>

type Failure = InvalidRequest | OrganizationNotFound

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
  readonly readers: ReadonlyArray<readonly [name: string, reader: Reader]>
}

const fieldsOf = (readers: Readonly<Record<string, Reader>>): Fields => {
  const entries = Object.entries(readers)
  const names = Object.keys(readers)
  const known: ReadonlySet<string> = new Set(names)
  const objects = entries.flatMap(([name, reader]) => {
    const shape = shapes.get(reader)
    return shape === undefined ? [] : [[name, shape] as const]
  })
  const unknown = (input: object): Problems | undefined => {
    const problems: Problems = {}
    let isRefused = false
    const refuse = (path: ReadonlyArray<string>, others: ReadonlyArray<string>): void => {
      const problem = FieldNames.unknownField(path.at(-1) ?? "", others)
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
  return { unknown, readers: entries }
}

const notObject = Result.fail(
  new InvalidRequest({ details: { input: [FieldProblem.make("not_object", {})] } }),
)

const read = (
  { readers, unknown }: Fields,
  input: unknown,
  passesProblems: boolean,
): Result.Result<object, Failure> => {
  const given = input === undefined ? {} : input
  if (typeof given !== "object" || given === null) return notObject
  const refused = unknown(given)
  if (refused !== undefined) return Result.fail(new InvalidRequest({ details: refused }))
  const values: Record<string, unknown> = {}
  let problems: Problems | undefined
  let failure: OrganizationNotFound | undefined
  for (const [name, reader] of readers) {
    const value: unknown = Reflect.apply(reader, undefined, [Reflect.get(given, name)])
    if (value instanceof OrganizationNotFound) failure = value
    else if (!FieldProblem.isFieldProblem(value)) values[name] = value
    else if (input === undefined) return notObject
    else if (passesProblems && name !== "organization") values[name] = value
    else problems = { ...problems, [name]: [value] }
  }
  if (problems !== undefined) return Result.fail(new InvalidRequest({ details: problems }))
  return failure === undefined ? Result.succeed(values) : Result.fail(failure)
}

/**
 * Makes the function that reads an input. `parsed` passes the problems of fields on as their values, except for
 * that of the organization.
 */
export function reading<R>(
  readers: R,
  problems: "refused",
): (input: unknown) => Result.Result<Read<R>, Failure>
export function reading<R>(
  readers: R,
  problems: "parsed",
): (input: unknown) => Result.Result<Parsed<R>, Failure>
export function reading(
  readers: Readonly<Record<string, Reader>>,
  problems: "refused" | "parsed",
): (input: unknown) => Result.Result<object, Failure> {
  const fields = fieldsOf(readers)
  return (input) => read(fields, input, problems === "parsed")
}

/** Makes methods that run effects of the engine, and resolve with the values that their generators return. */
export interface Methods {
  /** Makes the method of an input, whose problems are reported before anything else happens. */
  readonly method: <I, R extends ReadersOf<I>, A, Rest extends ReadonlyArray<unknown>>(
    readers: Exact<I, R>,
    body: Body<readonly [input: Read<R>, ...rest: Rest], A>,
  ) => (input: I, ...rest: Rest) => Promise<A>
  /** The same for a service that reports the problems of an input together with those that it finds itself. */
  readonly parsed: <I, R extends ReadersOf<I>, A>(
    readers: Exact<I, R>,
    body: Body<readonly [input: Parsed<R>], A>,
  ) => (input: I) => Promise<A>
  /** Makes a method whose first argument is not an input. */
  readonly call: <Args extends ReadonlyArray<unknown>, A>(
    body: Body<Args, A>,
  ) => (...args: Args) => Promise<A>
}

export const methodsOf = (run: Run): Methods => ({
  method: <I, R extends ReadersOf<I>, A, Rest extends ReadonlyArray<unknown>>(
    readers: Exact<I, R>,
    body: Body<readonly [input: Read<R>, ...rest: Rest], A>,
  ) => {
    const fieldsOfInput = reading<R>(readers, "refused")
    return (input: I, ...rest: Rest) =>
      run(
        Effect.suspend(() => {
          const fields = fieldsOfInput(input)
          return Result.isFailure(fields)
            ? Effect.fail(fields.failure)
            : Effect.gen(() => body(fields.success, ...rest))
        }),
        [input, ...rest],
      )
  },
  parsed: <I, R extends ReadersOf<I>, A>(
    readers: Exact<I, R>,
    body: Body<readonly [input: Parsed<R>], A>,
  ) => {
    const fieldsOfInput = reading<R>(readers, "parsed")
    return (input: I) =>
      run(
        Effect.suspend(() => {
          const fields = fieldsOfInput(input)
          return Result.isFailure(fields)
            ? Effect.fail(fields.failure)
            : Effect.gen(() => body(fields.success))
        }),
        [input],
      )
  },
  call:
    (body) =>
    (...args) =>
      run(
        Effect.gen(() => body(...args)),
        args,
      ),
})
