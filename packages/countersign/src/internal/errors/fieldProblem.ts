import type { FieldProblem } from "@countersign/core/domain/values/FieldProblem"

export {
  type Code as FieldProblemCode,
  type FieldProblem,
  make as fieldProblem,
  type Params as FieldProblemParams,
} from "@countersign/core/domain/values/FieldProblem"

/** The problems of each invalid field, by the field's name. */
export type FieldProblems = Readonly<Record<string, ReadonlyArray<FieldProblem>>>
