/**
 * Everything that a tenant can read in the admin API. The requests follow from the OpenAPI document that the mount
 * serves, so a new endpoint is read as well.
 */
import type { Countersign } from "countersign"
import * as Schema from "effect/Schema"
import { assert } from "vitest"

/** Identifiers of another organization. A tenant asks for them wherever an endpoint takes a text. */
export interface Foreign {
  readonly ids: ReadonlyArray<string>
  /** Where its searches go on. */
  readonly cursors: ReadonlyArray<string>
}

const Parameter = Schema.Struct({
  name: Schema.String,
  in: Schema.String,
  required: Schema.optional(Schema.Boolean),
  schema: Schema.Unknown,
})

const Document = Schema.fromJsonString(
  Schema.Struct({
    paths: Schema.Record(
      Schema.String,
      Schema.Struct({
        get: Schema.optional(
          Schema.Struct({ parameters: Schema.optional(Schema.Array(Parameter)) }),
        ),
      }),
    ),
  }),
)

type Parameter = typeof Parameter.Type

interface Read {
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
}

const day = 86_400_000

/** Values of parameters that are no identifiers of rows. */
const valueOf = (name: string): string => {
  const text = (millis: number) => new Date(millis).toISOString().slice(0, 10)
  switch (name) {
    case "from":
      return text(Date.now() - day)
    case "to":
      return text(Date.now() + 2 * day)
    case "phoneNumber":
    case "query":
      return "+8801712000001"
    default:
      return assert.fail(`A value for the parameter ${name} is missing here`)
  }
}

/** Whether a parameter takes any text, and so an identifier. */
const takesText = ({ schema }: Parameter): boolean => {
  const text = JSON.stringify(schema)
  return text.includes('"type":"string"') && !/"enum"|"format":"date-time"|An integer/.test(text)
}

/** The ids in a list, in order. */
const idsIn = (list: unknown): ReadonlyArray<string> => {
  const items = Object.values(Object(list)).find(Array.isArray)
  return Array.isArray(items)
    ? items.flatMap((item) => Object(item).requestId ?? Object(item).id ?? [])
    : []
}

/** Reads every endpoint as a tenant, also with the identifiers of others. Returns the answers by their calls. */
export const reads = async (engine: Countersign, organization: string, foreign: Foreign) => {
  const admin = engine.admin({
    basePath: "/ops",
    authorize: () => ({
      actor: { id: "reader" },
      roles: ["tenant"],
      organizations: [organization],
    }),
  })
  const answers: Array<readonly [call: string, answer: unknown]> = []
  const get = async (path: string) => {
    const response = await admin.fetch(new Request(`http://host.test/ops/api${path}`))
    const { headers, status } = response
    return { status, type: headers.get("content-type"), text: await response.text() }
  }
  const { paths } = Schema.decodeSync(Document)((await get("/openapi.json")).text)
  const all = Object.entries(paths).flatMap(([path, { get: read }]): ReadonlyArray<Read> =>
    read === undefined || path.endsWith("/stream")
      ? []
      : [{ path, parameters: read.parameters ?? [] }],
  )
  const ask = async (call: string, path: string, query: Readonly<Record<string, string>>) => {
    const search = new URLSearchParams(query).toString()
    answers.push([call, await get(search === "" ? path : `${path}?${search}`)])
  }
  for (const { parameters, path } of all) {
    const own = path.replace("{organization}", organization)
    const required = Object.fromEntries(
      parameters
        .filter((one) => one.in === "query" && one.required === true)
        .map(({ name }) => [name, valueOf(name)]),
    )
    const [list = "", rest] = own.split(/\/\{\w+\}/)
    if (rest === undefined) {
      await ask(`GET ${path}`, own, required)
      const texts = parameters.filter((one) => one.in === "query" && takesText(one))
      for (const { name } of texts) {
        const values = name === "cursor" ? foreign.cursors : foreign.ids
        for (const [index, value] of values.entries()) {
          await ask(`GET ${path} with ${name} ${index}`, own, { ...required, [name]: value })
        }
      }
      continue
    }
    // An item of a list: the own ones, and those of others.
    const items = idsIn(JSON.parse((await get(list)).text))
    for (const id of [...items.slice(0, 2), ...foreign.ids]) {
      await ask(`GET ${path}`, `${list}/${encodeURIComponent(id)}${rest}`, required)
    }
  }
  return answers
}
