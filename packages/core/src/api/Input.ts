/**
 * Reads the input of an operation. Unknown fields are refused, with the name that was probably meant. The organization is
 * not a field of the input: the caller has chosen it before.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { InvalidRequest, OrganizationNotFound } from "../domain/errors/Errors.ts"
import * as FieldNames from "../domain/values/FieldNames.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import { OrganizationId } from "../domain/values/Ids.ts"
import { isObject } from "../domain/values/internal/checks.ts"
import { defaultOrganization, noOrganization } from "./Fields.ts"
import type { Operation } from "./Operation.ts"
import { type Problems, problemsOfFields, writtenAs } from "./Problems.ts"

type Failure = InvalidRequest | OrganizationNotFound

/** Returns the value of a field. Fails with its problem if it could not be read. */
export const field = <A>(
  name: string,
  read: A | FieldProblem.FieldProblem,
): Effect.Effect<A, InvalidRequest> =>
  FieldProblem.isFieldProblem(read)
    ? Effect.fail(new InvalidRequest({ details: { [name]: [read] } }))
    : Effect.succeed(read)

/** The organization that an input names, or that of hosts with a single one. */
export const organizationOf = ({
  organization = defaultOrganization,
}: {
  readonly organization?: string | undefined
}): Effect.Effect<OrganizationId, OrganizationNotFound> =>
  // An id that no organization can have fails like an unknown one.
  Effect.try({
    try: () => OrganizationId(organization),
    catch: () => new OrganizationNotFound(),
  })

/** Finds the names that a type does not have, at every level, unless their values are `undefined`. */
type Search = (
  value: unknown,
  path: ReadonlyArray<string>,
  found: Record<string, Problems[string]>,
) => void

const searchOf = (self: SchemaAST.AST): Search | undefined => {
  const ast = writtenAs(self)
  switch (ast._tag) {
    case "Union":
      return eachOf(ast.types.map(searchOf))
    case "Arrays": {
      const item = eachOf(ast.rest.map(searchOf))
      if (item === undefined) return undefined
      return (value, path, found) => {
        if (!Array.isArray(value)) return
        for (const [index, one] of value.entries()) item(one, [...path, String(index)], found)
      }
    }
    case "Objects":
      return ast.indexSignatures.length > 0
        ? undefined
        : searchIn(ast.propertySignatures.map(({ name, type }) => [String(name), searchOf(type)]))
    default:
      return undefined
  }
}

const searchIn = (
  properties: ReadonlyArray<readonly [name: string, search: Search | undefined]>,
  isOfOrganization = false,
): Search => {
  const members = new Map(properties)
  const names = [...members.keys()]
  return (value, path, found) => {
    if (!isObject(value) || Array.isArray(value)) return
    for (const name of Object.keys(value)) {
      const member = value[name]
      if (members.has(name)) members.get(name)?.(member, [...path, name], found)
      else if (member !== undefined) {
        found[[...path, name].join(".")] = [FieldNames.unknownField(name, names, isOfOrganization)]
      }
    }
  }
}

const eachOf = (searches: ReadonlyArray<Search | undefined>): Search | undefined => {
  const all = searches.filter((search) => search !== undefined)
  if (all.length === 0) return undefined
  return (value, path, found) => {
    for (const search of all) search(value, path, found)
  }
}

const notObject = Result.fail(
  new InvalidRequest({ details: { input: [FieldProblem.make("not_object", {})] } }),
)

/** Makes the function that reads the input of an operation, and the organization if the operation is of one. */
export const reading = <O extends Operation>({
  input: schema,
}: O): ((
  input: unknown,
  organization: Result.Result<OrganizationId, Failure>,
) => Result.Result<O["input"]["Type"], Failure>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  const { organization: ofOrganization, ...own } = schema.fields
  const names = Object.keys(own)
  const search = searchIn(
    Object.entries(own).map(([name, { ast }]) => [name, searchOf(ast)]),
    ofOrganization !== undefined,
  )
  return (input, organization) => {
    if (input !== undefined && !isObject(input)) return notObject
    const given = input ?? {}
    const unknown: Record<string, Problems[string]> = {}
    search(given, [], unknown)
    if (Object.keys(unknown).length > 0)
      return Result.fail(new InvalidRequest({ details: unknown }))
    // Also members that the classes of an input define.
    const fields = Object.fromEntries(
      names.map((name) => [name, Reflect.get(given, name)] as const),
    )
    const id = Result.getOrElse(organization, () => defaultOrganization)
    const read = decode({ ...fields, organization: id })
    if (Result.isSuccess(read)) {
      return ofOrganization !== undefined && Result.isFailure(organization)
        ? Result.fail(organization.failure)
        : Result.succeed(read.success)
    }
    if (input === undefined) return notObject
    const details = problemsOfFields(read.failure.issue)
    const isUnknown = Object.values(details).every(([problem]) => problem === noOrganization)
    return Result.fail(isUnknown ? new OrganizationNotFound() : new InvalidRequest({ details }))
  }
}
