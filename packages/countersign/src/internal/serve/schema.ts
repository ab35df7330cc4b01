/** The JSON schema of `countersign.config.json`, for editors. */
import { channels } from "@countersign/core/domain/values/Channel"
import { isTuple, type Shape } from "../options/shape.ts"
import { serveOptions } from "../options/serveShape.ts"
import { serveTexts } from "../options/serveTexts.ts"
import { vendorShapes } from "../options/vendorShapes.ts"
import { isCode } from "./variables.ts"

/** A JSON schema. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A value that stands elsewhere: in a variable or in a file. */
const elsewhere: JsonSchema = {
  oneOf: ["env", "file"].map((name) => ({
    type: "object",
    properties: { [name]: { type: "string" } },
    required: [name],
    additionalProperties: false,
  })),
}

const kinds: Readonly<Record<string, JsonSchema>> = {
  "a text": { anyOf: [{ type: "string" }, elsewhere] },
  "a number": { anyOf: [{ type: "number" }, elsewhere] },
  "a duration": { anyOf: [{ type: "string" }, { type: "number" }, elsewhere] },
  "true or false": { type: "boolean" },
  anything: {},
}

const schemaOf = (shape: Shape, path: string): JsonSchema => {
  if (typeof shape === "string") {
    return kinds[shape] ?? { enum: shape.split(" or ").map((text): unknown => JSON.parse(text)) }
  }
  if (!isTuple(shape)) {
    const members = Object.entries(shape).flatMap(([name, member]) => {
      const place = path === "" ? name : `${path}.${name}`
      if (isCode(member, place)) return []
      const text = serveTexts[place]
      const own = place === "gateways" ? gatewaysSchema : schemaOf(member, place)
      return [[name, text === undefined ? own : { description: text, ...own }] as const]
    })
    return { type: "object", properties: Object.fromEntries(members), additionalProperties: false }
  }
  // Members of lists have no description of their own.
  const inner = schemaOf(shape[0], `${path}.0`)
  if (shape.length === 1) return { type: "array", items: inner }
  if (shape[1] === "or a list") return { anyOf: [inner, { type: "array", items: inner }] }
  return { anyOf: [inner, { type: shape[1] === null ? "null" : "string" }] }
}

const gatewaySchemas = Object.entries(vendorShapes).map(([name, shape]): JsonSchema => {
  const { properties } = schemaOf(shape, name)
  return {
    type: "object",
    properties: { vendor: { const: name }, ...Object(properties) },
    required: ["vendor"],
    additionalProperties: false,
  }
})

const gatewayReference: JsonSchema = { $ref: "#/$defs/gateway" }

const gatewaysSchema: JsonSchema = {
  anyOf: [
    { type: "array", items: gatewayReference },
    {
      type: "object",
      properties: Object.fromEntries(channels.map((channel) => [channel, gatewayReference])),
      additionalProperties: false,
    },
  ],
}

/** The schema of the file. */
export const jsonSchema = (): JsonSchema => {
  const { properties, ...others } = schemaOf(serveOptions, "")
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Configuration of countersign serve",
    ...others,
    properties: { $schema: { type: "string" }, ...Object(properties) },
    $defs: { gateway: { oneOf: gatewaySchemas } },
  }
}
