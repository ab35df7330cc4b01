/** Reproducible random numbers from 0 to 1 (mulberry32). */
export const random = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of a list. */
export const oneOf = <A>(draw: () => number, list: readonly [A, ...ReadonlyArray<A>]): A =>
  list[Math.floor(draw() * list.length)] ?? list[0]
