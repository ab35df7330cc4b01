import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import { randomFillSync } from "node:crypto"

/** Bytes that are drawn from the system at once. */
const blockSize = 4_096

/**
 * As Effect's own, from the same generator, but a block at a time: the way there costs more than the
 * bytes. What has been handed out is wiped, so the block tells nothing of codes and ids that are in use.
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
