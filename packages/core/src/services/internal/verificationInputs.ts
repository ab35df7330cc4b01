/** Reads the fields of requests for codes and of checks. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { normalize } from "../Codes.ts"
import * as FieldProblem from "../../domain/FieldProblem.ts"
import * as Ids from "../../domain/Ids.ts"
import type { FieldProblems } from "./fieldProblems.ts"

const maxClientInput = 128

/** The host's name for the client; `undefined` if it has none, or a problem. */
export const clientIn = (
  problems: FieldProblems,
  client: string | undefined | FieldProblem.FieldProblem,
): string | undefined => {
  const name = problems.value("client", client)
  if (name === undefined || (name.length >= 1 && name.length <= maxClientInput)) return name
  problems.add("client", FieldProblem.make("length_out_of_range", { min: 1, max: maxClientInput }))
  return undefined
}

/** The requested id. Text that cannot be an id becomes an id that no request has. */
export const requestIdOf = (text: string): Ids.RequestId =>
  Ids.RequestId(Ids.sortablePattern.test(text) ? text : "none")

/** Any text that is not empty may be an id, even if no request has it. */
export const notEmpty = (text: string): Result.Result<string, FieldProblem.FieldProblem> =>
  text === "" ? Result.fail(FieldProblem.make("empty", {})) : Result.succeed(text)

const maxCodeInput = 32

/** A code as the user has typed it, in the form of one. */
export const typed = (
  code: Redacted.Redacted<string>,
): Result.Result<Redacted.Redacted<string>, FieldProblem.FieldProblem> => {
  const text = Redacted.value(code)
  return text.length < 1 || text.length > maxCodeInput
    ? Result.fail(FieldProblem.make("length_out_of_range", { min: 1, max: maxCodeInput }))
    : Result.succeed(Redacted.make(normalize(text), { label: "code" }))
}
