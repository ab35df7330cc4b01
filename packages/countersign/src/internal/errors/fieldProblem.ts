/**
 * The problems in the `details` of an `InvalidRequestError`.
 */
import * as Core from "@countersign/core/domain/FieldProblem"

/** The code of a problem, such as `too_long`. `FieldProblemParams` describes them. */
export type FieldProblemCode = Core.Code

/** The parameters of each code, such as `{ max: 32 }` for `too_long`. */
export type FieldProblemParams = Core.Params

/**
 * A problem with a field: its `code`, the `params` of the code, and a `message`, an English sentence without
 * its subject. `code` narrows `params`.
 */
export type FieldProblem<Code extends FieldProblemCode = FieldProblemCode> = Core.FieldProblem<Code>

/** The problems of each invalid field, by the field's name. */
export type FieldProblems = Readonly<Record<string, ReadonlyArray<FieldProblem>>>

/** Creates a problem, for `InvalidRequestError`s of the host's own. */
export const fieldProblem: <Code extends FieldProblemCode>(
  code: Code,
  params: FieldProblemParams[Code],
) => FieldProblem<Code> = Core.make
