/**
 * Splits a stream of bytes into PDUs.
 */
import { headerLength, maxPduLength } from "./pdu.ts"

/** Collects input until a PDU is complete. Holds at most one PDU and one chunk. */
export class Frames {
  #rest: Uint8Array = new Uint8Array()
  #isBroken = false

  /** Whether a length was invalid. The rest of the stream is unreadable then. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Returns the completed PDUs, including those before an invalid length. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    if (this.#isBroken) return []
    const bytes = this.#rest.byteLength === 0 ? chunk : joined(this.#rest, chunk)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const frames: Array<Uint8Array> = []
    let at = 0
    while (bytes.byteLength - at >= 4) {
      const length = view.getUint32(at)
      if (length < headerLength || length > maxPduLength) {
        this.#isBroken = true
        return frames
      }
      if (bytes.byteLength - at < length) break
      frames.push(bytes.subarray(at, at + length))
      at += length
    }
    this.#rest = bytes.slice(at)
    return frames
  }
}

const joined = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(first.byteLength + second.byteLength)
  bytes.set(first)
  bytes.set(second, first.byteLength)
  return bytes
}
