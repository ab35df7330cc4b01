import { assert } from "vitest"
import { type Options, others, play } from "./play.ts"

/** Plays a history with the other organizations and without them, and compares the answers to the observed one. */
export const assertNoInterference = async (
  options: Pick<Options, "seed" | "calls">,
  database: () => Promise<string>,
): Promise<ReadonlyArray<string>> => {
  const crowded = await play({ ...options, database: await database(), withOthers: true })
  const { foreign } = crowded
  const alone = await play({ ...options, database: await database(), withOthers: false, foreign })
  assert.isNotEmpty(foreign.ids)
  assert.deepStrictEqual(crowded.transcript, alone.transcript)
  for (const other of others) assert.notInclude(crowded.raw, other)
  return crowded.transcript
}
