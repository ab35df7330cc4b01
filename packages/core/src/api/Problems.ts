/** The problems of an input that does not fit its schema, by the paths of their fields. None quotes a value. */
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as FieldProblem from "../domain/values/FieldProblem.ts"

export type Problems = Readonly<Record<string, ReadonlyArray<FieldProblem.FieldProblem>>>

/** The kinds of values that a type admits besides `undefined` and `null`. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union"
    ? ast.types.flatMap(membersOf)
    : ast._tag === "Undefined" || ast._tag === "Null"
      ? []
      : [ast]

/** The type of what a caller writes: the encoded side. */
export const writtenAs = (ast: SchemaAST.AST): SchemaAST.AST => {
  const last = ast.encoding?.at(-1)
  return last === undefined ? ast : writtenAs(last.to)
}

const problemOfType = (ast: SchemaAST.AST): FieldProblem.FieldProblem => {
  const members = membersOf(ast).map(writtenAs).flatMap(membersOf)
  const options = members.flatMap((one) => (one._tag === "Literal" ? [String(one.literal)] : []))
  if (options.length > 0) return FieldProblem.make("unknown_option", { options })
  const [first] = members
  const problem = first?.checks?.at(-1)?.annotations?.["problem"]
  if (FieldProblem.isFieldProblem(problem)) return problem
  switch (first?._tag) {
    case "Arrays":
      return FieldProblem.make("not_string_list", {})
    case "Boolean":
      return FieldProblem.make("not_boolean", {})
    case "Declaration":
      return FieldProblem.make("not_date", {})
    case "Number":
      return FieldProblem.make("not_integer", {})
    case "Objects":
      return FieldProblem.make("not_object", {})
    default:
      return FieldProblem.make("not_string", {})
  }
}

const problemOf = (issue: SchemaIssue.Issue): FieldProblem.FieldProblem => {
  switch (issue._tag) {
    case "MissingKey":
      return FieldProblem.make("required", {})
    case "InvalidValue": {
      const problem = issue.annotations?.["problem"]
      // The other checks are those of integers.
      return FieldProblem.isFieldProblem(problem) ? problem : FieldProblem.make("not_integer", {})
    }
    case "InvalidType":
    case "AnyOf":
      return problemOfType(issue.ast)
    default:
      return FieldProblem.make("unreadable", {})
  }
}

type Found = readonly [path: ReadonlyArray<PropertyKey>, problem: FieldProblem.FieldProblem]

const found = (issue: SchemaIssue.Issue): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Pointer":
      return found(issue.issue).map(([path, problem]) => [[...issue.path, ...path], problem])
    case "Composite":
      return issue.issues.flatMap(found)
    case "Encoding":
    case "Filter":
      return found(issue.issue)
    case "AnyOf": {
      // The members that say more than the type does.
      const inner = issue.issues.flatMap(found)
      return inner.length > 0 ? inner : [[[], problemOf(issue)]]
    }
    default:
      return [[[], problemOf(issue)]]
  }
}

const problemsBy = (
  issue: SchemaIssue.Issue,
  nameOf: (path: ReadonlyArray<PropertyKey>) => ReadonlyArray<PropertyKey>,
): Problems => {
  const problems: Record<string, ReadonlyArray<FieldProblem.FieldProblem>> = {}
  for (const [path, problem] of found(issue)) problems[nameOf(path).join(".")] ??= [problem]
  return problems
}

/** The problems of an issue, by their paths, such as `scopes.0`. */
export const problemsOf = (issue: SchemaIssue.Issue): Problems => problemsBy(issue, (path) => path)

/** As `problemsOf`, but an item of a list counts as the list. */
export const problemsOfFields = (issue: SchemaIssue.Issue): Problems =>
  problemsBy(issue, (path) => path.filter((part) => typeof part === "string"))
