/** Values in PostgreSQL's text format, for connections whose driver does not read or write the binary one. */
import { OID } from "@effect/sql-pg/PgTypes"
import { type Encoded, oidOf, type Value } from "../connection/parameters.ts"

/** Reads a column of a result. Types that no statement returns stay text. */
export const readText = (oid: number, text: string | null): unknown => {
  if (text === null) return null
  switch (oid) {
    case OID.bool:
      return text === "t"
    case OID.int2:
    case OID.int4:
    case OID.int8:
      return Number(text)
    case OID.json:
    case OID.jsonb:
      return JSON.parse(text)
    case OID.int8Array:
      return text === "{}" ? [] : text.slice(1, -1).split(",").map(Number)
    default:
      return text
  }
}

/** The names of types in casts. The types of the schema have other numbers in each database. */
export const typeNames: ReadonlyMap<number, string> = new Map([
  [OID.text, "text"],
  [OID.int8, "int8"],
  [OID.bool, "bool"],
  [OID.textArray, "text[]"],
  [OID.int8Array, "int8[]"],
])

/** Writes a parameter. */
export const textOf = (value: Value): string | null => {
  if (value === null || value === undefined) return null
  if (typeof value === "string") return value
  if (typeof value !== "object") return String(value)
  return isEncoded(value) ? arrayText(value.bytes) : `{${value.map(quoted).join(",")}}`
}

const isEncoded = (value: object): value is Encoded => "oid" in value

const quoted = (text: string | null): string =>
  text === null ? "NULL" : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

/** The parts of values in the binary format. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  int32(): number {
    this.#at += 4
    return this.#bytes.readInt32BE(this.#at - 4)
  }

  /** The bytes after their length; `undefined` for NULL. */
  value(): Buffer | undefined {
    const length = this.int32()
    if (length === -1) return undefined
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
}

const arrayText = (bytes: Uint8Array): string => {
  const reader = new Reader(bytes)
  const dimensions = reader.int32()
  if (dimensions === 0) return "{}"
  reader.int32()
  const oid = reader.int32()
  const length = reader.int32()
  reader.int32()
  const elements = Array.from({ length }, () => {
    const element = reader.value()
    return quoted(element === undefined ? null : scalarText(oid, element))
  })
  return `{${elements.join(",")}}`
}

const scalarText = (oid: number, bytes: Buffer): string => {
  switch (oid) {
    case OID.text:
      return bytes.toString()
    case OID.int8:
      return String(bytes.readBigInt64BE())
    case OID.int4:
      return String(bytes.readInt32BE())
    case OID.bool:
      return bytes[0] === 1 ? "t" : "f"
    case OID.bytea:
      return String.raw`\x${bytes.toString("hex")}`
    case OID.jsonb:
      return bytes.toString("utf8", 1)
    case OID.textArray:
    case OID.int8Array:
      return arrayText(bytes)
    default:
      return rowText(bytes)
  }
}

/** A row of a composite type. NULL is an empty field. */
const rowText = (bytes: Buffer): string => {
  const reader = new Reader(bytes)
  const fields = Array.from({ length: reader.int32() }, () => {
    const oid = reader.int32()
    const field = reader.value()
    return field === undefined ? "" : quoted(scalarText(oid, field))
  })
  return `(${fields.join(",")})`
}

/** Casts each parameter from text to its type, so that no driver has to know the types. */
export const withCasts = (
  sql: string,
  params: ReadonlyArray<Value>,
  nameOf: (oid: number) => string,
): string =>
  sql.replaceAll(/\$(\d+)/g, (all, place) => {
    const name = nameOf(oidOf(params[Number(place) - 1]))
    return `(${all}::text::${name})`
  })
