import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import { randomFillSync } from "node:crypto"

/** Number of bytes drawn from the system at once. */
const blockSize = 4_096

/**
 * Like Effect's own layer and from the same generator, but one block at a time, because each call costs more
 * than its bytes. Bytes that were returned are overwritten, so that the block reveals no codes and ids in use.
 */
const makeRandomBytes = (): ((size: number) => Uint8Array) => {
  const block = new Uint8Array(blockSize)
  let used = blockSize
  return (size) => {
    if (size > blockSize) return randomFillSync(new Uint8Array(size))
    if (used + size > blockSize) {
      randomFillSync(block)
      used = 0
    }
    const bytes = block.slice(used, used + size)
    block.fill(0, used, used + size)
    used += size
    return bytes
  }
}

export const layerSecureRandom: Layer.Layer<SecureRandom.SecureRandom> = Layer.sync(
  SecureRandom.SecureRandom,
  () => SecureRandom.make(makeRandomBytes()),
)
