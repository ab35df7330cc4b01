/** Fields of a PDU. Each codec both reads and writes its field. */
import * as Struct from "effect/Struct"

/** Reads octets. A missing field reads as empty and sets `failed`; check that at the end. */
export class Reader {
  readonly #bytes: Uint8Array
  #at: number
  failed = false

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes
    this.#at = from
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.byteLength
  }

  octets(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.byteLength) this.failed = true
    if (this.failed) return new Uint8Array()
    this.#at += length
    return this.#bytes.slice(this.#at - length, this.#at)
  }

  number(size: 1 | 2): number {
    return this.octets(size).reduce((value, octet) => value * 256 + octet, 0)
  }

  /** Reads a text that ends with NUL. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    if (end === -1) this.failed = true
    const text = latin1(this.octets(end - this.#at))
    this.octets(1)
    return text
  }
}

/** Writes octets. The first field that does not fit sets `problem`. */
export class Writer {
  readonly #octets: Array<number> = []
  /** The first field that could not be written. */
  problem: string | undefined

  octets(bytes: Uint8Array): void {
    for (const byte of bytes) this.#octets.push(byte)
  }

  number(name: string, value: number, size: 1 | 2 | 4): void {
    if (!Number.isInteger(value) || value < 0 || value >= 256 ** size) this.problem ??= name
    for (let shift = size - 1; shift >= 0; shift--) {
      this.#octets.push(Math.floor(value / 256 ** shift) % 256)
    }
  }

  /** Writes a text of at most `size` octets, including the NUL at its end. */
  text(name: string, value: string, size: number): void {
    if (value.length >= size || !isLatin1(value)) this.problem ??= name
    for (let index = 0; index < value.length; index++) this.#octets.push(value.charCodeAt(index))
    this.#octets.push(0)
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#octets)
  }
}

export interface Codec<A> {
  readonly read: (reader: Reader) => A
  readonly write: (writer: Writer, value: A) => void
}

export const octet = (name: string): Codec<number> => ({
  read: (reader) => reader.number(1),
  write: (writer, value) => writer.number(name, value, 1),
})

/** @param size The octets of the field, including the NUL at its end. */
export const text = (name: string, size: number): Codec<string> => ({
  read: (reader) => reader.text(),
  write: (writer, value) => writer.text(name, value, size),
})

/** A text that may be missing at the end: rejections, and the answers of some centres, have no body. */
export const textIfAny = (name: string, size: number): Codec<string> => ({
  ...text(name, size),
  read: (reader) => (reader.isAtEnd ? "" : reader.text()),
})

/** Octets after their number. */
export const counted = (name: string, maxLength: number): Codec<Uint8Array> => ({
  read: (reader) => reader.octets(reader.number(1)),
  write: (writer, value) => {
    writer.number(name, value.byteLength > maxLength ? Number.NaN : value.byteLength, 1)
    writer.octets(value)
  },
})

/** An optional field of a PDU: a tag, and a value whose format depends on the tag. */
export interface Tlv {
  readonly tag: number
  readonly value: Uint8Array
}

/** All remaining optional fields. */
export const tlvs: Codec<ReadonlyArray<Tlv>> = {
  read: (reader) => {
    const all: Array<Tlv> = []
    while (!reader.failed && !reader.isAtEnd) {
      all.push({ tag: reader.number(2), value: reader.octets(reader.number(2)) })
    }
    return all
  },
  write: (writer, all) => {
    for (const { tag, value } of all) {
      writer.number("tag", tag, 2)
      writer.number("length", value.byteLength, 2)
      writer.octets(value)
    }
  },
}

interface Read extends Struct.Lambda {
  <A>(codec: Codec<A>): A
  readonly "~lambda.out": this["~lambda.in"] extends Codec<infer A> ? A : never
}

/** Fields in the order of the bytes. */
export const struct = <A extends object>(fields: { readonly [K in keyof A]: Codec<A[K]> }) => ({
  read: (reader: Reader) =>
    Struct.map(
      fields,
      Struct.lambda<Read>((codec) => codec.read(reader)),
    ),
  write: (writer: Writer, value: A): void => {
    for (const key of Struct.keys(fields)) fields[key].write(writer, value[key])
  },
})

/** Decodes each octet as one character. */
export const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

/** Whether every character fits into an octet and none is NUL. */
const isLatin1 = (text: string): boolean =>
  Array.from(text).every((letter) => letter > "\0" && letter <= "\u00ff")
