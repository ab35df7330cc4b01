/**
 * Values that a JSON Schema allows, and texts of JSON that try to break a reader.
 */
import * as fc from "fast-check"
import { type Described, isObject, type JsonSchema, listOf, objectAt } from "./openApi.ts"

/** Values of members and parameters whose schema says less than the service knows, by name. */
export type Named = Readonly<Record<string, fc.Arbitrary<unknown>>>

const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === "number" ? value : otherwise

/** Text in several scripts, without NUL and lone surrogates. */
const plainText = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.constantFrom(..."abzAZ09 _-.,'\"\\/<&ঢকা১é", "🙂"),
    minLength,
    // An emoji is two units of UTF-16, by which the service counts.
    maxLength: Math.max(minLength, Math.floor(maxLength / 2)),
  })

/** Times that the service reads. */
export const dates = fc
  .integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) })
  .map((millis) => new Date(millis).toISOString())

const textOf = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const { format, pattern } = schema
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u"))
  if (format === "date-time") return dates
  if (format === "date") return dates.map((text) => text.slice(0, 10))
  const min = numberOf(schema["minLength"], 0)
  return plainText(min, Math.min(numberOf(schema["maxLength"], 40), min + 60))
}

/** Any JSON value. */
const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 2 })

/** Values that a schema allows. */
export const validFor = (
  described: Described,
  given: JsonSchema,
  named: Named,
): fc.Arbitrary<unknown> => {
  const schema = described.resolve(given)
  const inner = (one: unknown): fc.Arbitrary<unknown> =>
    validFor(described, isObject(one) ? one : {}, named)
  if ("const" in schema) return fc.constant(schema["const"])
  const choices = listOf(schema["enum"])
  if (choices.length > 0) return fc.constantFrom(...choices)
  const kinds = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]
  if (kinds.length > 0) return fc.oneof(...kinds.map(inner))
  const [all] = listOf(schema["allOf"])
  if (all !== undefined) return inner({ ...schema, allOf: undefined, ...objectAt(all) })
  switch (schema["type"]) {
    case "object": {
      const properties = Object.entries(objectAt(schema, "properties"))
      if (properties.length === 0) {
        const members = isObject(schema["additionalProperties"])
          ? inner(schema["additionalProperties"])
          : anyJson
        return fc.dictionary(fc.constantFrom("a", "b", "key"), members, { maxKeys: 2 })
      }
      const required = listOf(schema["required"]).map(String)
      return fc.record(
        Object.fromEntries(
          properties.map(([name, property]) => [name, named[name] ?? inner(property)]),
        ),
        { requiredKeys: required, noNullPrototype: true },
      )
    }
    case "array": {
      const minLength = numberOf(schema["minItems"], 0)
      return fc.array(inner(schema["items"]), { minLength, maxLength: minLength + 2 })
    }
    case "string":
      return textOf(schema)
    case "integer":
      return fc.integer({
        min: numberOf(schema["minimum"], 0),
        max: Math.min(numberOf(schema["maximum"], 1_000), 2 ** 31 - 1),
      })
    case "number":
      return fc.double({ min: 0, max: 1_000, noNaN: true })
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    default:
      return anyJson
  }
}

/** JSON of several levels. */
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

/** Texts that are values of JSON, or almost. */
const hostileValues = [
  "null",
  "true",
  "0",
  "-0",
  "-1",
  "1.5",
  "1e2",
  "1e400",
  "-1e400",
  "9007199254740993",
  "123456789012345678901234567890",
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ufeff"',
  '"\\u202e8801712345678"',
  '"+৮৮০১৭১২৩৪৫৬৭৮"',
  '"+٨٨٠١٧١٢٣٤٥٦٧٨"',
  '"１２３４５６"',
  '"১২৩৪৫৬"',
  '"123456\\u0000"',
  '"🙂"',
  '"__proto__"',
  '"constructor"',
  '"sms\\u0000"',
  '"SMS"',
  '"<script>"',
  '"\'; drop table x; --"',
  '"{{7*7}}"',
  '"\\r\\nX-Injected: 1"',
  `"${"x".repeat(5_000)}"`,
  `"${"🙂".repeat(2_000)}"`,
  "[]",
  "{}",
  "[[]]",
  '{"__proto__":{"to":1}}',
  '{"toString":1,"valueOf":null}',
  '{"length":1e9}',
  nested(70),
  nested(2_000),
  `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`,
] as const

export const hostileValue: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...hostileValues), weight: 4 },
  { arbitrary: anyJson.map((value) => JSON.stringify(value)), weight: 1 },
  { arbitrary: fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)), weight: 1 },
)

/** Bodies that are no objects, or no JSON. */
const hostileBodies: ReadonlyArray<string> = [
  "",
  " ",
  "{",
  "}",
  "{}{}",
  "{} x",
  "null",
  "[]",
  "1e400",
  '"text"',
  "NaN",
  "{'a':1}",
  '{"a":1,}',
  '{"a" 1}',
  '{"a":01}',
  '{"a":"\t"}',
  '{"a":"\\x"}',
  "// {}",
  "\u0000",
  '{"a":1}\u0000',
  nested(30_000),
  "[".repeat(60_000),
  `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
  `{"pad":"${"x".repeat(70_000)}"}`,
]

type Member = readonly [name: string, value: string]

const textOfMembers = (members: ReadonlyArray<Member>): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`

const membersOf = (value: unknown): ReadonlyArray<Member> =>
  isObject(value)
    ? Object.entries(value).map(([name, member]): Member => [name, JSON.stringify(member)])
    : []

const extraNames = ["__proto__", "constructor", "prototype", "toString", "", "Channel", "then"]

/** Changes one member, adds one, repeats one, or removes one. */
const mutated = (
  members: ReadonlyArray<Member>,
  names: ReadonlyArray<string>,
): fc.Arbitrary<string> =>
  fc
    .record({
      kind: fc.constantFrom("replace", "add", "repeat", "remove"),
      name: fc.constantFrom(...names),
      extra: fc.constantFrom(...extraNames),
      value: hostileValue,
    })
    .map(({ extra, kind, name, value }) => {
      const others = members.filter(([own]) => own !== name)
      if (kind === "remove") return textOfMembers(others)
      if (kind === "replace") return textOfMembers([...others, [name, value]])
      // The last of repeated members counts.
      if (kind === "repeat") return textOfMembers([[name, value], ...members])
      return textOfMembers([...members, [extra, value]])
    })

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8")

/** Bytes around a text that is JSON: marks, cut texts, and bytes that are no UTF-8. */
const disturbed = (text: string): fc.Arbitrary<Uint8Array> => {
  const bytes = utf8(text)
  return fc
    .record({
      kind: fc.constantFrom("mark", "cut", "byte", "wide", "tail", "overlong"),
      at: fc.nat({ max: bytes.length }),
    })
    .map(({ at, kind }) => {
      const before = bytes.subarray(0, at)
      const after = bytes.subarray(at)
      switch (kind) {
        case "mark":
          return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
        case "cut":
          return before
        case "byte":
          return Buffer.concat([before, Buffer.from([0xff]), after])
        case "overlong":
          // NUL and a lone surrogate in forms that UTF-8 forbids.
          return Buffer.concat([before, Buffer.from([0xc0, 0x80, 0xed, 0xa0, 0x80]), after])
        case "wide":
          return Buffer.from(text, "utf16le")
        default:
          return Buffer.concat([bytes, Buffer.from([0x20, 0x00])])
      }
    })
}

export interface Body {
  readonly bytes: Uint8Array
  /** Whether the service has to accept it. */
  readonly isValid: boolean
}

/**
 * Bodies of an operation: most are valid, some have one mistake, and some are no JSON. An example of the document
 * takes the place of values that the schema allows, because the service knows more than the schema.
 */
export const bodiesFor = (
  described: Described,
  { example, schema }: { readonly schema: JsonSchema; readonly example: unknown },
  named: Named,
): fc.Arbitrary<Body> => {
  const names = Object.keys(objectAt(described.resolve(schema), "properties"))
  const allowed = validFor(described, schema, named)
  const valid = example === undefined ? allowed : fc.constant(example)
  const text = valid.map((value) => JSON.stringify(value))
  const of = (isValid: boolean) => (bytes: Uint8Array | string) => ({
    bytes: typeof bytes === "string" ? utf8(bytes) : bytes,
    isValid,
  })
  return fc.oneof(
    { arbitrary: text.map(of(true)), weight: 10 },
    { arbitrary: allowed.map((value) => of(false)(JSON.stringify(value))), weight: 4 },
    {
      arbitrary: fc
        .oneof(valid, allowed)
        .chain((value) => mutated(membersOf(value), names))
        .map(of(false)),
      weight: 6,
    },
    { arbitrary: text.chain(disturbed).map(of(false)), weight: 1 },
    { arbitrary: fc.constantFrom(...hostileBodies).map(of(false)), weight: 1 },
  )
}
