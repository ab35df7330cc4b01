/**
 * An OpenAPI document as a fuzzer needs it: its operations, and validators of everything that they take and answer.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { at } from "../support/Quickstart.ts"

export type JsonSchema = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
  readonly schema: JsonSchema
}

export interface HeaderRule {
  readonly name: string
  readonly isRequired: boolean
  /** Whether the value has the type and the form of the document. */
  readonly accepts: (value: string) => boolean
}

export interface Answered {
  /** The validator of each content type; `undefined` if it is no JSON. */
  readonly types: ReadonlyMap<string, ValidateFunction | undefined>
  readonly headers: ReadonlyArray<HeaderRule>
}

export interface Operation {
  readonly id: string
  readonly method: string
  /** With parameters in braces. */
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body:
    | {
        readonly isRequired: boolean
        readonly schema: JsonSchema
        readonly example: unknown
        readonly accepts: ValidateFunction
      }
    | undefined
  readonly answers: ReadonlyMap<number, Answered>
}

export interface Described {
  readonly operations: ReadonlyArray<Operation>
  /** The schema that a reference leads to, or the schema itself. */
  readonly resolve: (schema: JsonSchema) => JsonSchema
}

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectAt = (value: unknown, ...path: ReadonlyArray<string | number>): JsonSchema => {
  const found = at(value, ...path)
  return isObject(found) ? found : {}
}

export const listOf = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : []

const methods = ["get", "post", "put", "patch", "delete"]

const escaped = (part: string): string => part.replaceAll("~", "~0").replaceAll("/", "~1")

/** What the service writes; another format in the document is an error of `ajv`. */
const formats = {
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?(?:Z|[+-]\d\d:\d\d)$/,
}

/** Reads a document, and dies if one of its references or schemas is wrong. */
export const readDocument = (document: object): Described => {
  const ajv = new Ajv2020({ strict: false, allErrors: false, formats, unicodeRegExp: true })
  ajv.addSchema(document, "api")
  const partsOf = (reference: string): ReadonlyArray<string> =>
    reference.replace(/^#\//, "").split("/")
  const followed = (value: unknown, path: ReadonlyArray<string>) => {
    const reference = at(value, "$ref")
    if (typeof reference !== "string") return { value, path }
    const target = partsOf(reference)
    return { value: at(document, ...target), path: target }
  }
  const validator = (path: ReadonlyArray<string>): ValidateFunction =>
    ajv.compile({ $ref: `api#/${path.map(escaped).map(encodeURIComponent).join("/")}` })

  const headersOf = (answer: unknown, path: ReadonlyArray<string>): ReadonlyArray<HeaderRule> =>
    Object.entries(objectAt(answer, "headers")).map(([name, rule]) => {
      const accepts = validator([...path, "headers", name, "schema"])
      const isNumber = at(rule, "schema", "type") === "integer"
      return {
        name: name.toLowerCase(),
        isRequired: at(rule, "required") === true,
        accepts: (value) => accepts(isNumber ? Number(value) : value),
      }
    })

  const answeredOf = (answer: unknown, path: ReadonlyArray<string>): Answered => ({
    types: new Map(
      Object.keys(objectAt(answer, "content")).map((type) => [
        type,
        type === "application/json" ? validator([...path, "content", type, "schema"]) : undefined,
      ]),
    ),
    headers: headersOf(answer, path),
  })

  const bodyOf = (operation: unknown, path: ReadonlyArray<string>): Operation["body"] => {
    const body = followed(at(operation, "requestBody"), [...path, "requestBody"])
    const content = objectAt(body.value, "content", "application/json")
    if (!("schema" in content)) return undefined
    return {
      isRequired: at(body.value, "required") === true,
      schema: objectAt(content, "schema"),
      example: content["example"],
      accepts: validator([...body.path, "content", "application/json", "schema"]),
    }
  }

  const operations = Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
    methods.flatMap((method): ReadonlyArray<Operation> => {
      const operation = at(item, method)
      if (operation === undefined) return []
      const place = ["paths", path, method]
      return [
        {
          id: String(at(operation, "operationId")),
          method: method.toUpperCase(),
          path,
          parameters: listOf(at(operation, "parameters")).map((parameter) => ({
            name: String(at(parameter, "name")),
            in: String(at(parameter, "in")),
            isRequired: at(parameter, "required") === true,
            schema: objectAt(parameter, "schema"),
          })),
          body: bodyOf(operation, place),
          answers: new Map(
            Object.entries(objectAt(operation, "responses")).map(([status, answer]) => [
              Number(status),
              answeredOf(answer, [...place, "responses", status]),
            ]),
          ),
        },
      ]
    }),
  )
  return {
    operations,
    resolve: (schema) => {
      const { value } = followed(schema, [])
      return isObject(value) ? value : {}
    },
  }
}

/** The documented operations at a target below the base path; `undefined`: the path is not documented. */
export const operationsAt = (
  { operations }: Described,
  target: string,
): ReadonlyArray<Operation> | undefined => {
  const [path = ""] = target.split("?", 1)
  const exact = operations.filter((operation) => operation.path === path)
  if (exact.length > 0) return exact
  const matching = operations.filter((operation) => patternOf(operation.path).test(path))
  const [first] = matching
  return first === undefined ? undefined : matching.filter((one) => one.path === first.path)
}

const patterns = new Map<string, RegExp>()

const patternOf = (path: string): RegExp => {
  const known = patterns.get(path)
  if (known !== undefined) return known
  const made = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/?]+")}$`)
  patterns.set(path, made)
  return made
}
