/**
 * Reads and writes the fields of a PDU.
 */

/** An optional field of a PDU: a tag, and a value whose format depends on the tag. */
export interface Tlv {
  readonly tag: number
  readonly value: Uint8Array
}

/** Reads fields. A missing field reads as empty and sets `failed`; check that at the end. */
export class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at: number
  #failed = false

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = from
  }

  get failed(): boolean {
    return this.#failed
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.byteLength
  }

  octet(): number {
    return this.#has(1) ? this.#view.getUint8(this.#at++) : 0
  }

  #uint16(): number {
    if (!this.#has(2)) return 0
    this.#at += 2
    return this.#view.getUint16(this.#at - 2)
  }

  octets(length: number): Uint8Array {
    if (!this.#has(length)) return new Uint8Array()
    this.#at += length
    return this.#bytes.slice(this.#at - length, this.#at)
  }

  /** Reads a text that ends with NUL. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    if (this.#failed || end === -1) {
      this.#failed = true
      return ""
    }
    const text = latin1(this.#bytes.subarray(this.#at, end))
    this.#at = end + 1
    return text
  }

  /** Reads all remaining optional fields. */
  tlvs(): ReadonlyArray<Tlv> {
    const tlvs: Array<Tlv> = []
    while (!this.#failed && !this.isAtEnd) {
      const tag = this.#uint16()
      const value = this.octets(this.#uint16())
      if (!this.#failed) tlvs.push({ tag, value })
    }
    return tlvs
  }

  #has(length: number): boolean {
    if (this.#at + length > this.#bytes.byteLength) this.#failed = true
    return !this.#failed
  }
}

/** Writes fields. The first field that does not fit sets `problem`, and later writes have no effect. */
export class Writer {
  readonly #octets: Array<number> = []
  #problem: string | undefined

  /** The first field that could not be written. */
  get problem(): string | undefined {
    return this.#problem
  }

  octet(name: string, value: number): this {
    return this.#number(name, value, 1)
  }

  uint32(name: string, value: number): this {
    return this.#number(name, value, 4)
  }

  octets(bytes: Uint8Array): this {
    for (const byte of bytes) this.#octets.push(byte)
    return this
  }

  /** Writes a text of at most `size` octets, including the NUL at its end. */
  text(name: string, value: string, size: number): this {
    if (value.length >= size || !isLatin1(value)) this.#problem ??= name
    for (let index = 0; index < value.length; index++) this.#octets.push(value.charCodeAt(index))
    this.#octets.push(0)
    return this
  }

  tlvs(tlvs: ReadonlyArray<Tlv>): this {
    for (const { tag, value } of tlvs) {
      this.#number("tag", tag, 2).#number("length", value.byteLength, 2).octets(value)
    }
    return this
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#octets)
  }

  #number(name: string, value: number, size: 1 | 2 | 4): this {
    if (!Number.isInteger(value) || value < 0 || value >= 256 ** size) this.#problem ??= name
    for (let shift = size - 1; shift >= 0; shift--) {
      this.#octets.push(Math.floor(value / 256 ** shift) % 256)
    }
    return this
  }
}

/** Decodes each octet as one character. */
export const latin1 = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/** Whether every character fits into an octet and none is NUL. */
const isLatin1 = (text: string): boolean =>
  Array.from(text).every((letter) => letter > "\0" && letter <= "\u00ff")
