/** The readers of successful responses. */
import * as Doc from "./document.ts"

/** The readers of closed sets of values, by the sets. */
const choices = new Map<string, string>()

const choiceOf = (values: ReadonlyArray<unknown>, property: string): string => {
  const set = values.map((value) => JSON.stringify(value)).join(", ")
  if (values.length === 1) return `oneOf(${set})`
  const same = [...choices.values()].filter((name) => name.startsWith(property)).length
  const name = choices.get(set) ?? `${property}${same === 0 ? "" : same + 1}`
  choices.set(set, name)
  return name
}

const readers = { string: "text", integer: "count", number: "number", object: "object" }

/** The reader of a member, as code. */
const memberOf = (schema: Doc.JsonSchema, property: string): string => {
  const { enum: values, format, type } = Doc.given(schema)
  if (schema.type === "array") return `listOf(${readerName(schema.items ?? {})})`
  if (values !== undefined) return choiceOf(values, property)
  const known = Object.entries(readers).find(([name]) => name === type)?.[1] ?? "number"
  const read = format === "date-time" ? "instant" : known
  return Doc.isNullable(schema) ? `orNull(${read})` : read
}

/** A value is read if all of its members are. */
const recordOf = (schema: Doc.JsonSchema): string => {
  const members = Object.entries(schema.properties ?? {}).map(([wire, own]) => {
    const name = Doc.nameOfOutput(wire)
    const read = memberOf(own, name)
    const isSame = wire === name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (isSame) return name === read ? `${name},` : `${name}: ${read},`
    return `${name}: [${JSON.stringify(wire)}, ${read}],`
  })
  return `record({ ${members.join("\n")} })\n`
}

const readerName = ({ $ref }: Doc.JsonSchema): string =>
  $ref === undefined ? "codeMessage" : "entry"

const items = Doc.outputs.flatMap(([, body]) =>
  Object.values(Doc.shapeOf(body).properties ?? {}).flatMap(({ items: item }) =>
    item ? [item] : [],
  ),
)

const successOf = ([name, body]: readonly [string, Doc.JsonSchema]): string => {
  const extra = Doc.extras[name]
  const own = Doc.lowerFirst(name)
  const { data, pagination } = body.properties ?? {}
  if (data?.$ref !== undefined) return `export const ${own} = ${readerName(data)}\n`
  const read = recordOf(Doc.shapeOf(body))
  if (pagination !== undefined) {
    return `const pageOf = ${read}
export const ${own} = (data: unknown, _: Answered, { pagination }: JsonObject) =>
  pageOf({ ...objectOf(pagination), messages: data })
`
  }
  if (extra === undefined) return `export const ${own} = ${read}`
  return `const ${own}Of = ${read}
export const ${own} = (data: unknown, answered: Pick<Answered, "${extra.header}">) => {
  const read = ${own}Of(data)
  return read && { ...read, ${extra.name}: answered.${extra.header} === "true" }
}
`
}

export const successes = (): string => {
  const all = [
    ...items.map((item) => `const ${readerName(item)} = ${recordOf(Doc.resolved(item))}`),
    ...Doc.outputs.map(successOf),
  ]
  const known = [...choices].map(([set, name]) => `const ${name} = oneOf(${set})`)
  return `import type { Answered } from "./exchange.ts"
import { count, instant, type JsonObject, listOf, number, object, objectOf, oneOf, orNull, record, text } from "./json.ts"

${known.join("\n\n")}

${all.join("\n")}`
}
