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
import type { Reader } from "../domain/values/FieldReaders.ts"
import { isObject } from "../domain/values/internal/checks.ts"
import type { Caller, Parsed } from "./Caller.ts"
import * as Fields from "./Fields.ts"
import type { Operation } from "./Operation.ts"
import { type Problems, problemsOfFields, writtenAs } from "./Problems.ts"

type Failure = InvalidRequest | OrganizationNotFound

export const invalid = (field: string, problem: FieldProblem.FieldProblem): InvalidRequest =>
  new InvalidRequest({ details: { [field]: [problem] } })

/** Returns the value of a field. Fails with its problem if it could not be read. */
export const field = <A>(
  name: string,
  read: A | FieldProblem.FieldProblem,
): Effect.Effect<A, InvalidRequest> =>
  FieldProblem.isFieldProblem(read) ? Effect.fail(invalid(name, read)) : Effect.succeed(read)

/** The organization that an input names; otherwise the organization of hosts with a single one. */
export const organizationOf = ({
  organization = Fields.defaultOrganization,
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

const notObject = Result.fail(invalid("input", FieldProblem.make("not_object", {})))

type Row = Pick<Operation, "input">

/** Makes the function that refuses what is no object, and names that the input does not have. */
const givenOf = ({ input: { fields } }: Row) => {
  const { organization, ...own } = fields
  const isOfOrganization = organization === Fields.organization
  const members = Object.entries(isOfOrganization ? own : fields)
  const search = searchIn(
    members.map(([name, { ast }]) => [name, searchOf(ast)]),
    isOfOrganization,
  )
  const names = members.map(([name]) => name)
  const given = (input: unknown): Result.Result<object, InvalidRequest> => {
    if (!isObject(input)) return notObject
    const details: Record<string, Problems[string]> = {}
    search(input, [], details)
    return Object.keys(details).length > 0
      ? Result.fail(new InvalidRequest({ details }))
      : Result.succeed(input)
  }
  return { given, isOfOrganization, names }
}

/** Reads an input. @defaultValue `organization`: `ofDefault` */
export type Reading<A> = (
  input: unknown,
  organization?: Result.Result<OrganizationId, Failure>,
) => Result.Result<A, Failure>

export const ofDefault: Result.Result<OrganizationId, Failure> = Result.succeed(
  OrganizationId(Fields.defaultOrganization),
)

/** Makes the function that reads the input of an operation, and the organization if the operation is of one. */
export const reading = <O extends Row>(operation: O): Reading<O["input"]["Type"]> => {
  const decode = Schema.decodeUnknownResult(operation.input, { errors: "all" })
  const { given, isOfOrganization, names } = givenOf(operation)
  return (input, organization = ofDefault) => {
    const known = given(input === undefined ? {} : input)
    if (Result.isFailure(known)) return Result.fail(known.failure)
    // Also members that the classes of an input define.
    const fields = Object.fromEntries(
      names.map((name) => [name, Reflect.get(known.success, name)] as const),
    )
    const id = Result.getOrElse(organization, () => Fields.defaultOrganization)
    const read = decode(isOfOrganization ? { ...fields, organization: id } : fields)
    if (Result.isSuccess(read)) {
      return isOfOrganization && Result.isFailure(organization)
        ? Result.fail(organization.failure)
        : Result.succeed(read.success)
    }
    if (input === undefined) return notObject
    const details = problemsOfFields(read.failure.issue)
    const isUnknown = Object.values(details).every(([problem]) => problem === Fields.noOrganization)
    return Result.fail(isUnknown ? new OrganizationNotFound() : new InvalidRequest({ details }))
  }
}

/** A reader for each field of an input besides the organization. */
export type ReadersOf<O extends Row> = {
  readonly [K in Exclude<keyof O["input"]["Type"], "organization">]-?: Reader<O["input"]["Type"][K]>
}

/**
 * As `reading`, with readers by hand, for an operation of an organization that is called often and has required fields.
 * The service gets the problems of fields in their places, and reports them together with those that it finds.
 */
export function readingBy<O extends Row & { readonly input: { readonly Type: Caller } }>(
  operation: O,
  readers: ReadersOf<O>,
): Reading<Parsed<O["input"]["Type"]>>
export function readingBy(
  operation: Row,
  readers: Readonly<Record<string, Reader<unknown>>>,
): Reading<object> {
  const { given } = givenOf(operation)
  const fields = Object.entries(readers)
  return (input, organization = ofDefault) => {
    const known = given(input)
    if (Result.isFailure(known)) return Result.fail(known.failure)
    if (Result.isFailure(organization)) return Result.fail(organization.failure)
    const values: Record<string, unknown> = { organization: organization.success }
    for (const [name, read] of fields) values[name] = read(Reflect.get(known.success, name))
    return Result.succeed(values)
  }
}
