/**
 * The calls of a history, as its clients make them over HTTP, and their answers.
 */
import type * as Linearizability from "@countersign/testing/Linearizability"

/** A call, with what the models have to know about it. */
export type Input =
  | { readonly name: "verify"; readonly phoneNumber: string; readonly key?: string | undefined }
  | { readonly name: "check"; readonly requestId: string; readonly isRight: boolean }
  | { readonly name: "resend" | "cancel" | "consume" | "status"; readonly requestId: string }
  | {
      readonly name: "send"
      readonly phoneNumber: string
      readonly text: string
      readonly key?: string | undefined
    }
  | { readonly name: "balance" }
  | { readonly name: "topUp"; readonly units: number; readonly payment: string }
  /** Reads the whole log. */
  | { readonly name: "log" }
  /** Moves the clock of the service to the expiry of every request before it. */
  | { readonly name: "expire" }

export interface Answer {
  readonly status: number
  /** The code of a failure; `ok` for a success. */
  readonly code: string
  /** Whether the answer has the header `Countersign-First`. */
  readonly isFirst: boolean
  readonly body: unknown
}

export type Call = Linearizability.Call<Input, Answer>

export type History = ReadonlyArray<Call>

/** The price of an SMS, in units of 1/10,000. */
export const price = 5_000

/** The carrier refuses every message to this number. */
export const refusedNumber = "+8801555000101"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The member at a path of a JSON value. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((outer, name) => (isRecord(outer) ? outer[name] : undefined), value)

/** The text at a path; `undefined` if there is no text. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : undefined
}

/** An amount of an answer, in units: a number of the HTTP interface, or a decimal of the admin API. */
export const unitsAt = (value: unknown, ...path: ReadonlyArray<string>): number =>
  Math.round(Number(at(value, ...path)) * 10_000)

/** One line that describes a call. */
export const describe = ({ name, ...input }: Input, answer: Answer | undefined): string =>
  `${name} ${JSON.stringify(input)} → ${answer === undefined ? "no answer" : `${answer.code} ${JSON.stringify(answer.body)}${answer.isFirst ? " (first)" : ""}`}`
