/**
 * Shapes of plain objects: the names and types of their members, which a type check compares with the declared types.
 */
import type { Duration } from "@countersign/core/domain/values/DurationText"
import * as Durations from "@countersign/core/domain/values/Duration"
import * as FieldNames from "@countersign/core/domain/values/FieldNames"
import * as Result from "effect/Result"
import { refuse } from "./check.ts"

/** The types of single values, as they stand in a message. */
type Kind = "a text" | "a number" | "a duration" | "true or false" | "a function" | "anything"

export type Shape = Kind | ListOf | Or | { readonly [name: string]: Shape }

type ListOf = readonly [item: Shape]

/** A value that may also be something else. With `"or a list"`, the list is one of such values. */
type Or = readonly [value: Shape, or: "or a list" | "or a text" | null]

/** The names of all members of a union. */
type Names<A> = A extends unknown ? keyof A : never

/** The type of a member that not every member of a union has. */
type At<A, K extends PropertyKey> = A extends { readonly [P in K]?: unknown } ? A[K] : never

/** The shape that describes a type, so that a shape with another name or type does not compile. */
export type ShapeOf<A> = unknown extends A
  ? "anything"
  : null extends A
    ? readonly [ShapeOf<Exclude<A, null>>, null]
    : [A] extends [Duration]
      ? "a duration"
      : [A] extends [string]
        ? "a text"
        : [A] extends [number]
          ? "a number"
          : [A] extends [boolean]
            ? "true or false"
            : [A] extends [(...args: never) => unknown]
              ? "a function"
              : [A] extends [ReadonlyArray<infer Item>]
                ? readonly [ShapeOf<Item>]
                : [Extract<A, ReadonlyArray<unknown>>] extends [never]
                  ? [Extract<A, string>] extends [never]
                    ? { readonly [K in Names<A>]: ShapeOf<Exclude<At<A, K>, undefined>> }
                    : readonly [ShapeOf<Exclude<A, string>>, "or a text"]
                  : readonly [ShapeOf<Exclude<A, ReadonlyArray<unknown>>>, "or a list"]

/** Refuses an unknown name, and suggests its place in `root`, or the one of `names` that was probably meant. */
export const refuseName = (
  path: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
  root: Shape = {},
): never => {
  const name = path.at(-1) ?? ""
  const meant = placeOf(root, name) ?? FieldNames.nearest(name, names)
  const said = `${path.join(".")} is not an option`
  return refuse(meant === undefined ? said : `${said}; did you mean ${meant}?`)
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isOfKind: { readonly [K in Kind]: (value: unknown) => boolean } = {
  "a text": (value) => typeof value === "string",
  "a number": (value) => typeof value === "number",
  "a duration": Durations.is,
  "true or false": (value) => typeof value === "boolean",
  "a function": (value) => typeof value === "function",
  anything: () => true,
}

/** Never quotes a value, which may be a secret. */
const refuseType = (path: ReadonlyArray<string>, expected: string): never =>
  refuse(`${path.length === 0 ? "the options" : path.join(".")} must be ${expected}`)

const checkDuration = (value: unknown, path: ReadonlyArray<string>): void => {
  const read = Durations.toMillis(value, path[0] === "retention" ? "day" : undefined)
  if (Result.isFailure(read)) refuse(`${path.join(".")} ${read.failure.message}`)
}

const isTuple = (shape: Shape): shape is ListOf | Or => Array.isArray(shape)

/**
 * Refuses unknown names and values of the wrong type, at every level. The path is that of `value` in the shape `root`,
 * and `or` tells what else the value may be.
 */
export const check = (
  shape: Shape,
  value: unknown,
  path: ReadonlyArray<string>,
  root = shape,
  or = "",
): void => {
  if (shape === "a duration") {
    checkDuration(value, path)
  } else if (typeof shape === "string") {
    if (!isOfKind[shape](value)) refuseType(path, `${shape}${or}`)
  } else if (!isTuple(shape)) {
    if (!isObject(value)) return refuseType(path, `an object${or}`)
    const fields = new Map(Object.entries(shape))
    const given = Object.entries(value).filter(([, member]) => member !== undefined)
    const unknown = given.find(([name]) => !fields.has(name))
    if (unknown !== undefined) refuseName([...path, unknown[0]], [...fields.keys()], root)
    for (const [name, member] of given) {
      check(fields.get(name) ?? "anything", member, [...path, name], root)
    }
  } else if (shape.length === 1) {
    if (!Array.isArray(value)) return refuseType(path, `a list${or}`)
    for (const [index, item] of value.entries()) {
      check(shape[0], item, [...path, String(index)], root)
    }
  } else if (shape[1] === "or a list") {
    const single = Array.isArray(value) ? ([shape[0]] as const) : shape[0]
    check(single, value, path, root, or === "" ? " or a list" : `, a list${or}`)
  } else if (shape[1] === null ? value !== null : typeof value !== "string") {
    check(shape[0], value, path, root, shape[1] === null ? " or null" : ` ${shape[1]}`)
  }
}

/** Where a name is a member, such as `database.schema`; `undefined` if no level has it. Does not look into lists. */
export const placeOf = (shape: Shape, name: string): string | undefined => {
  if (typeof shape === "string") return undefined
  if (isTuple(shape)) return shape.length === 2 ? placeOf(shape[0], name) : undefined
  if (Object.hasOwn(shape, name)) return name
  for (const [member, inner] of Object.entries(shape)) {
    const place = placeOf(inner, name)
    if (place !== undefined) return `${member}.${place}`
  }
  return undefined
}
