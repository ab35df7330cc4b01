/** Adds to the OpenAPI document of the admin API what schemas cannot express. */
import type * as OpenApi from "effect/http-api/OpenApi"
import { describe, tidy } from "../openApi.ts"

const isChoice = (value: unknown): value is { readonly anyOf: ReadonlyArray<unknown> } =>
  typeof value === "object" && value !== null && "anyOf" in value && Array.isArray(value.anyOf)

/** Also removes repeated choices: a member that may be missing or null has `null` twice. */
const tidyChoices = (key: string, value: unknown): unknown => {
  if (!isChoice(value)) return tidy(key, value)
  const choices = new Map(value.anyOf.map((choice) => [JSON.stringify(choice), choice]))
  return { ...value, anyOf: [...choices.values()] }
}

const finishParameter = (parameter: OpenApi.OpenAPISpecParameter): OpenApi.OpenAPISpecParameter => {
  const { schema, ...described } = describe(parameter.schema)
  const isList = JSON.stringify(schema).includes('"type":"array"')
  // A list is sent as a parameter for each item.
  const explode = isList ? { style: "form", explode: true } : {}
  return { ...parameter, ...described, ...explode, schema }
}

export const finish = (spec: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const document: OpenApi.OpenAPISpec = JSON.parse(JSON.stringify(spec, tidyChoices))
  for (const { delete: remove, get, patch, post, put } of Object.values(document.paths)) {
    for (const operation of [get, post, put, patch, remove]) {
      if (operation === undefined) continue
      operation.parameters = operation.parameters.map(finishParameter)
    }
  }
  return { ...document }
}
