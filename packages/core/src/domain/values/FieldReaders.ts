/**
 * Reads the fields of untyped input, such as a JSON body. Each reader returns the value, or its problem,
 * which a service reports together with those that its own rules find.
 */
import * as FieldProblem from "./FieldProblem.ts"
import { isObject } from "./internal/checks.ts"

/** An input in which each field is a value, or the problem for which it could not be read. */
export type Parsed<A> = { readonly [K in keyof A]: A[K] | FieldProblem.FieldProblem }

export type Reader<A> = (value: unknown) => A | FieldProblem.FieldProblem

export const text: Reader<string> = (value) =>
  typeof value === "string"
    ? value
    : FieldProblem.make(value === undefined ? "required" : "not_string", {})

export const integer: Reader<number> = (value) =>
  typeof value === "number" && Number.isSafeInteger(value)
    ? value
    : FieldProblem.make("not_integer", {})

export const boolean: Reader<boolean> = (value) =>
  typeof value === "boolean" ? value : FieldProblem.make("not_boolean", {})

export const object: Reader<Readonly<Record<string, unknown>>> = (value) =>
  isObject(value) ? value : FieldProblem.make("not_object", {})

/** The JSON text of a value. */
export const jsonText: Reader<string> = (value) => {
  try {
    const json: unknown = JSON.stringify(value)
    return typeof json === "string" ? json : FieldProblem.make("unreadable", {})
  } catch {
    // A cycle, or more nesting than the stack allows.
    return FieldProblem.make("unreadable", {})
  }
}

export const oneOf =
  <A extends string>(options: ReadonlyArray<A>): Reader<A> =>
  (value) =>
    options.find((option) => option === value) ?? FieldProblem.make("unknown_option", { options })

/** A list, or the problem of its first unreadable element. */
export const listOf =
  <A>(read: Reader<A>): Reader<ReadonlyArray<A>> =>
  (value) => {
    if (!Array.isArray(value)) return FieldProblem.make("not_string_list", {})
    const list: Array<A> = []
    for (const one of value) {
      const element = read(one)
      if (FieldProblem.isFieldProblem(element)) return element
      list.push(element)
    }
    return list
  }

export const optional =
  <A>(read: Reader<A>): Reader<A | undefined> =>
  (value) =>
    value === undefined ? undefined : read(value)
