/** Bytes that count how often one of them is read. Methods of `Uint8Array` throw on them. */
export const countedReads = (bytes: Uint8Array) => {
  let reads = 0
  const counted = new Proxy(bytes, {
    get: (target, property): unknown => {
      if (typeof property === "string" && /^\d+$/.test(property)) reads += 1
      return Reflect.get(target, property, target)
    },
  })
  return { bytes: counted, reads: () => reads }
}

/** The same bytes, but for one. */
export const differingAt = (bytes: Uint8Array, position: number): Uint8Array =>
  bytes.map((byte, index) => (index === position ? byte ^ 1 : byte))
