/** Measures the memory of a pending verification: everything that is kept for a sent code. */
import { answer, inputOf } from "./child.ts"
import { engineSide } from "./engineSide.ts"
import { plainSide } from "./plainSide.ts"

export interface PendingInput {
  readonly side: "engine" | "plain"
  /** Number of codes to send, each to another phone number. */
  readonly count: number
}

export interface PendingResult {
  /** Bytes for each code. */
  readonly bytes: number
}

const { count, side } = inputOf<PendingInput>()
const measured = await (side === "engine" ? engineSide() : plainSide())

const used = (): number => {
  globalThis.gc?.()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

let rank = 0
const send = async (codes: number): Promise<void> => {
  const ranks = Array.from({ length: codes }, () => rank++)
  const sent = await measured.send(ranks, 64)
  if (sent.length !== codes) throw new Error("Not every code was sent")
}

// Warms up, so that compiled code, caches and one-time allocations do not count.
await send(20_000)
const before = used()
for (let left = count; left > 0; left -= 10_000) await send(Math.min(left, 10_000))
const result: PendingResult = { bytes: (used() - before) / count }
answer(result)
