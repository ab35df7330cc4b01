/** Writes values in PostgreSQL's binary format. */
export class Bytes {
  #bytes = Buffer.allocUnsafe(initialSize)
  #length = 0

  int32(value: number): void {
    this.#reserve(4)
    this.#put32(value)
  }

  int16(value: number): void {
    this.byte(value >>> 8)
    this.byte(value)
  }

  int64(value: number): void {
    this.#reserve(8)
    this.#put32(Math.floor(value / 2 ** 32))
    this.#put32(value)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  utf8(value: string): void {
    this.#reserve(3 * value.length)
    if (value.length <= shortLength) {
      const bytes = this.#bytes
      const start = this.#length
      let index = 0
      for (; index < value.length; index++) {
        const code = value.charCodeAt(index)
        if (code > 127) break
        bytes[start + index] = code
      }
      if (index === value.length) {
        this.#length += index
        return
      }
    }
    this.#length += this.#bytes.write(value, this.#length, "utf8")
  }

  /** Writes a text that ends with NUL. */
  cString(value: string): void {
    this.utf8(value)
    this.byte(0)
  }

  /** Leaves room for a length. Returns the place, which `end` needs. */
  begin(): number {
    this.#reserve(4)
    return (this.#length += 4)
  }

  /** Writes the number of bytes since `begin` returned `start`, and `own` bytes of the length itself. */
  end(start: number, own = 0): void {
    const after = this.#length
    this.#length = start - 4
    this.#put32(after - start + own)
    this.#length = after
  }

  copy(): Uint8Array {
    return Buffer.from(this.#bytes.subarray(0, this.#length))
  }

  clear(): void {
    this.#length = 0
  }

  #put32(value: number): void {
    const bytes = this.#bytes
    const at = this.#length
    bytes[at] = value >>> 24
    bytes[at + 1] = value >>> 16
    bytes[at + 2] = value >>> 8
    bytes[at + 3] = value
    this.#length = at + 4
  }

  #reserve(count: number): void {
    const size = this.#length + count
    if (size <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

const initialSize = 65_536

/** Up to this length, a loop over ASCII characters is faster than a call of the runtime. */
const shortLength = 40
