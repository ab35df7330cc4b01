/** The types of inputs and results. */
import { docComment } from "../docComment.ts"
import * as Doc from "./document.ts"

const unionOf = (values: ReadonlyArray<unknown>): string =>
  values.map((value) => JSON.stringify(value)).join(" | ")

const typeOf = (place: string, name: string, schema: Doc.JsonSchema): string => {
  const { enum: values, format: form, items, properties, type } = Doc.given(schema)
  if (values !== undefined && name === "channel" && values.length === 2) return "Channel"
  if (values !== undefined) return unionOf(values)
  if (form === "date-time") return "Date"
  if (type === "array") {
    const item = items?.$ref === undefined ? undefined : Doc.nameOf(items.$ref)
    return `ReadonlyArray<${item ?? membersOf(place, items ?? {}, Doc.nameOfOutput)}>`
  }
  if (properties !== undefined) return membersOf(place, Doc.given(schema), Doc.camel)
  if (type === "object") return "Metadata"
  return type === "string" ? "string" : "number"
}

const membersOf = (
  place: string,
  { properties = {}, required = Object.keys(properties) }: Doc.JsonSchema,
  rename: (wire: string) => string,
): string => {
  const members = Object.entries(properties).map(([wire, schema]) => {
    const name = rename(wire)
    const own = Doc.ownMembers[`${place}.${name}`]
    const type = own?.type ?? typeOf(`${place}.${name}`, name, schema)
    const whole = `${type}${Doc.isNullable(schema) ? " | null" : ""}`
    const isRequired = required.includes(wire)
    return `${Doc.comment(own?.text ?? Doc.textOf(schema))}  readonly ${name}${isRequired ? `: ${whole}` : `?: ${whole} | undefined`}\n`
  })
  return `{\n${members.join("")}}`
}

const payment = Doc.calls[0]?.fields.properties?.["payment"] ?? {}

const inputOf = (call: Doc.Call): string => {
  const bases = [
    ...(call.isOfRequest ? ["OfRequest"] : []),
    ...(call.isKeyed ? ["KeyedCall"] : call.isOfRequest ? [] : ["CallOptions"]),
  ]
  const { properties, required = [] } = call.fields
  const fields = { ...(properties && { properties }), required }
  const members = membersOf(call.input, fields, (wire) => Doc.nameOfInput(call, wire))
  return `export interface ${call.input} extends ${bases.join(", ")} ${members}\n`
}

const outputOf = ([name, body]: readonly [string, Doc.JsonSchema]): string => {
  const members = membersOf(name, Doc.shapeOf(body), Doc.nameOfOutput)
  const extra = Doc.extras[name]
  const all =
    extra === undefined
      ? members
      : members.replace(/\}$/, `${Doc.comment(extra.text)}  readonly ${extra.name}: boolean\n}`)
  return `${docComment(`${Doc.textOf(body)}.`, "")}\nexport interface ${name} ${all}\n`
}

export const types =
  (): string => `import type { CallOptions, Channel, KeyedCall, Metadata, OfRequest } from "./calls.ts"
import type { Duration } from "./durations.ts"

${Doc.calls
  .filter(({ input }) => input !== "OfRequest" && input !== "CallOptions")
  .map(inputOf)
  .join("\n")}
/** A payment that a user approves with a code. */
export interface Payment ${membersOf("Payment", payment, Doc.camel)}
${Doc.outputs.map(outputOf).join("\n")}`
