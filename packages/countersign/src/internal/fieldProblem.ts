/**
 * The problems in the `details` of an `InvalidRequestError`.
 */
import * as Core from "@countersign/core/domain/FieldProblem"

/** The code of a problem, as in `too_long`. `FieldProblemParams` has what each means. */
export type FieldProblemCode = Core.Code

/** The parameters of each code, as in `{ max: 32 }` of `too_long`. */
export type FieldProblemParams = Core.Params

/**
 * A problem with a field: its `code`, the `params` of the code, and an English sentence without its subject in
 * `message`. `code` narrows `params`.
 */
export type FieldProblem<Code extends FieldProblemCode = FieldProblemCode> = Core.FieldProblem<Code>

/** The problems of each field that is at fault, by its name. */
export type FieldProblems = Readonly<Record<string, ReadonlyArray<FieldProblem>>>

/** Makes a problem, for an `InvalidRequestError` of the host's own. */
export const fieldProblem: <Code extends FieldProblemCode>(
  code: Code,
  params: FieldProblemParams[Code],
) => FieldProblem<Code> = Core.make
