/** A stream of bytes that a seed determines; statistically sound, and not secret. */
export const bytesFrom = (seed: number): ((size: number) => Uint8Array) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let value = state
    value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
    value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
    return (value ^ (value >>> 16)) >>> 0
  }
  return (size) => Uint8Array.from({ length: size }, () => next() & 0xff)
}
