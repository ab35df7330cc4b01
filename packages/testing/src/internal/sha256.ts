/**
 * SHA-256 and its HMAC, each in one synchronous step. Web Crypto is asynchronous, and `TestClock` does not
 * see a fiber that waits for it.
 */

const primes = (count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}

const fractionBits = (value: number): number =>
  Math.floor((value - Math.floor(value)) * 2 ** 32) >>> 0

const roundConstants = Uint32Array.from(primes(64), (prime) => fractionBits(Math.cbrt(prime)))
const initialState = Uint32Array.from(primes(8), (prime) => fractionBits(Math.sqrt(prime)))

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

const padded = (data: Uint8Array): Uint8Array => {
  const length = Math.ceil((data.length + 9) / 64) * 64
  const bytes = new Uint8Array(length)
  bytes.set(data)
  bytes[data.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(length - 8, Math.floor(data.length / 2 ** 29))
  view.setUint32(length - 4, (data.length << 3) >>> 0)
  return bytes
}

const at = (words: Uint32Array, index: number): number => words[index] ?? 0

const compress = (state: Uint32Array, block: DataView, words: Uint32Array): void => {
  for (let index = 0; index < 16; index++) words[index] = block.getUint32(index * 4)
  for (let index = 16; index < 64; index++) {
    const first = at(words, index - 15)
    const second = at(words, index - 2)
    const sigma0 = rotate(first, 7) ^ rotate(first, 18) ^ (first >>> 3)
    const sigma1 = rotate(second, 17) ^ rotate(second, 19) ^ (second >>> 10)
    words[index] = at(words, index - 16) + sigma0 + at(words, index - 7) + sigma1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + sum1 + choice + at(roundConstants, index) + at(words, index)) | 0
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = (sum0 + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = at(state, index) + word
  }
}

export const sha256 = (data: Uint8Array): Uint8Array => {
  const bytes = padded(data)
  const state = Uint32Array.from(initialState)
  const words = new Uint32Array(64)
  for (let offset = 0; offset < bytes.length; offset += 64) {
    compress(state, new DataView(bytes.buffer, offset, 64), words)
  }
  const digest = new Uint8Array(32)
  const view = new DataView(digest.buffer)
  for (const [index, word] of state.entries()) view.setUint32(index * 4, word)
  return digest
}

export const hmacSha256 = (key: Uint8Array, data: Uint8Array): Uint8Array => {
  const block = new Uint8Array(64)
  block.set(key.length > 64 ? sha256(key) : key)
  const keyed = (pad: number, message: Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(64 + message.length)
    bytes.set(block.map((byte) => byte ^ pad))
    bytes.set(message, 64)
    return sha256(bytes)
  }
  return keyed(0x5c, keyed(0x36, data))
}
