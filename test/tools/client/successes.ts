/** The readers of successful responses. */
import * as Doc from "./document.ts"

/** The guards of closed sets of values, by the sets. */
const guards = new Map<string, string>()

const guardOf = (values: ReadonlyArray<unknown>, property: string): string => {
  const set = JSON.stringify(values)
  const base = `is${property.charAt(0).toUpperCase()}${property.slice(1)}`
  const same = [...guards.values()].filter((name) => name.startsWith(base)).length
  const name = guards.get(set) ?? `${base}${same === 0 ? "" : same + 1}`
  guards.set(set, name)
  return name
}

/** Whether \`value\` has the type, as code. */
const checkOf = (schema: Doc.JsonSchema, value: string): string => {
  const { enum: values, type } = Doc.given(schema)
  if (values?.length === 1) return `${value} === ${JSON.stringify(values[0])}`
  if (values !== undefined) return `${guardOf(values, value)}(${value})`
  const check =
    type === "object"
      ? `isObject(${value})`
      : `${type === "string" ? "isText" : type === "integer" ? "isCount" : "isNumber"}(${value})`
  if (!Doc.isNullable(schema)) return check
  return type === "string" ? `isTextOrNull(${value})` : `(${value} === null || ${check})`
}

/** The body of a reader: a value is read if all of its members are. \`from\` is the object. */
const readerOf = (schema: Doc.JsonSchema, from: string, extra = ""): string => {
  const members = Object.entries(schema.properties ?? {}).map(([wire, own]) => ({
    wire,
    own,
    name: Doc.nameOfOutput(wire),
    isTime: Doc.given(own).format === "date-time",
    isList: own.type === "array",
  }))
  const taken = members.map(({ name, wire }) => (name === wire ? name : `${wire}: ${name}`))
  const isRead = ({ isList, isTime }: (typeof members)[number]) => isList || isTime
  const lines = members.filter(isRead).map(({ isList, name, own }) => {
    if (!isList)
      return `const ${name}Read = ${Doc.isNullable(own) ? "instantOrNull" : "instantOf"}(${name})`
    return `const ${name}Read = listOf(${name}, ${readerName(own.items ?? {})})`
  })
  const checks = members.map((one) =>
    isRead(one) ? `${one.name}Read !== undefined` : checkOf(one.own, one.name),
  )
  const made = members.map((one) => (isRead(one) ? `${one.name}: ${one.name}Read` : one.name))
  return `{
  const { ${taken.join(", ")} } = ${from}
  ${lines.map((line) => `${line}\n  `).join("")}return ${checks.join(" &&\n    ")}
    ? { ${[...made, ...(extra === "" ? [] : [extra])].join(", ")} }
    : undefined
}
`
}

const readerName = ({ $ref }: Doc.JsonSchema): string =>
  $ref === undefined ? "codeMessage" : "entry"

const readerOfItem = (schema: Doc.JsonSchema): string => `
const ${readerName(schema)} = (value: unknown) => ${readerOf(Doc.resolved(schema), "objectOf(value)")}`

const items = Doc.outputs.flatMap(([, body]) =>
  Object.values(Doc.shapeOf(body).properties ?? {}).flatMap(({ items: item }) =>
    item ? [item] : [],
  ),
)

const successOf = ([name, body]: readonly [string, Doc.JsonSchema]): string => {
  const extra = Doc.extras[name]
  const result = `Types.${name} | undefined`
  const { data, pagination } = body.properties ?? {}
  const start = `export const ${Doc.lowerFirst(name)} = (body: JsonObject${extra === undefined ? "" : `, answered: Pick<Answered, "${extra.header}">`}): ${result} =>`
  if (data?.$ref !== undefined) return `${start} ${readerName(data)}(body["data"])\n`
  const from =
    pagination === undefined
      ? 'objectOf(body["data"])'
      : 'objectOf({ ...objectOf(body["pagination"]), messages: body["data"] })'
  return `${start} ${readerOf(Doc.shapeOf(body), from, extra && `${extra.name}: answered.${extra.header} === "true"`)}`
}

export const successes = (): string => {
  const readers = [...items.map(readerOfItem), ...Doc.outputs.map(successOf)]
  const known = [...guards].map(([set, name]) => `const ${name} = isOneOf(${set})`)
  return `import type { Answered } from "./exchange.ts"
import { instantOf, instantOrNull, isCount, isNumber, isObject, isOneOf, isText, isTextOrNull, type JsonObject, listOf, objectOf } from "./json.ts"
import type * as Types from "./types.ts"

${known.join("\n\n")}
${readers.join("\n")}`
}
