/**
 * Reads the fields of untyped input, such as a JSON body. Each reader returns the value, or its problem,
 * which a service reports together with those that its own rules find.
 */
import { type Channel, channels } from "./Channel.ts"
import { type MessageClass, messageClasses } from "./MessageClass.ts"
import * as FieldProblem from "./FieldProblem.ts"

/** An input in which each field is a value, or the problem for which it could not be read. */
export type Parsed<A> = { readonly [K in keyof A]: A[K] | FieldProblem.FieldProblem }

export type Reader<A> = (value: unknown) => A | FieldProblem.FieldProblem

export const text: Reader<string> = (value) =>
  typeof value === "string"
    ? value
    : FieldProblem.make(value === undefined ? "required" : "not_string", {})

/** A text that is not empty. */
export const name: Reader<string> = (value) =>
  value === "" ? FieldProblem.make("empty", {}) : text(value)

export const integer: Reader<number> = (value) =>
  typeof value === "number" && Number.isSafeInteger(value)
    ? value
    : FieldProblem.make("not_integer", {})

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

export const channel: Reader<Channel> = (value) =>
  channels.find((channel) => channel === value) ?? FieldProblem.make("unknown_channel", {})

export const messageClass: Reader<MessageClass> = (value) =>
  messageClasses.find((one) => one === value) ??
  FieldProblem.make("unknown_option", { options: messageClasses })

export const optional =
  <A>(read: Reader<A>): Reader<A | undefined> =>
  (value) =>
    value === undefined ? undefined : read(value)
