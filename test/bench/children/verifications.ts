/**
 * Measures the codes that one process sends and checks per second, without HTTP and without a database: with
 * the services of the engine on the memory store, or with the plain ones. The gateway answers at once.
 */
import { answer, inputOf } from "./child.ts"
import { engineSide } from "./engineSide.ts"
import { plainSide } from "./plainSide.ts"

export interface VerificationsInput {
  readonly side: "engine" | "plain"
  /** Number of requests in each of the four runs, and in the warm-up run before them. */
  readonly requests: number
}

/** Codes per second. */
export interface VerificationsResult {
  /** One after another. */
  readonly send: number
  readonly check: number
  /** 64 fibers, or as many asynchronous loops. */
  readonly sendMany: number
  readonly checkMany: number
}

const { requests, side } = inputOf<VerificationsInput>()

const measured = await (side === "engine" ? engineSide() : plainSide())

let rank = 0
const ranks = (): ReadonlyArray<number> => Array.from({ length: requests }, () => rank++)

const perSecond = async <A>(run: () => Promise<A>): Promise<readonly [number, A]> => {
  globalThis.gc?.()
  const started = performance.now()
  const result = await run()
  return [(requests / (performance.now() - started)) * 1_000, result]
}

const pair = async (concurrency: number): Promise<readonly [send: number, check: number]> => {
  const numbers = ranks()
  const [send, codes] = await perSecond(() => measured.send(numbers, concurrency))
  if (new Set(codes.map(([id]) => id)).size !== requests) throw new Error("Not every code was sent")
  const [check] = await perSecond(() => measured.check(codes, concurrency))
  return [send, check]
}

await pair(64)
const [send, check] = await pair(1)
const [sendMany, checkMany] = await pair(64)
const result: VerificationsResult = { send, check, sendMany, checkMany }
answer(result)
