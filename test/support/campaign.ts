/**
 * Long campaigns of `pnpm test:soak`: numbered trials, in turns. After each turn the totals are saved, and the next run
 * of the same commit goes on from there. `test/soak/results` gets those of the longest run, and of the newest of two
 * that are as long; `test/soak/RESULTS.md` shows them.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, expect } from "vitest"
import { root } from "../tools/paths.ts"
import { type CampaignResult, decodeResult } from "./campaignResult.ts"

export interface Campaign {
  /** Name of the file of its result. The title of its test begins with it and a colon, so that `-t` can choose it. */
  readonly name: string
  /** Trials of the full run. `--count` replaces it. */
  readonly count: number
  /** Trials of one turn. */
  readonly turn: number
  /**
   * Runs the trials from `first` until before `end`, and returns what to add to the totals. Throws where something
   * that must hold did not: the message has the number of the trial, and how to repeat it.
   */
  readonly run: (first: number, end: number) => Promise<Readonly<Record<string, number>>>
}

const read = (file: string): CampaignResult | undefined =>
  existsSync(file) ? decodeResult(readFileSync(file, "utf8")) : undefined

const write = (file: string, result: CampaignResult): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
}

const numberOf = (variable: string): number | undefined => {
  const text = process.env[variable]
  return text === undefined ? undefined : Number(text)
}

/** Runs a campaign until its count is reached, or the minutes of `--minutes` are over. */
export const runCampaign = async ({
  count,
  name,
  run,
  turn,
}: Campaign): Promise<CampaignResult> => {
  const title = `${name}: `
  if (expect.getState().currentTestName?.includes(title) !== true) {
    throw new Error(`The title of this test has to begin with "${title}"`)
  }
  const wanted = numberOf("COUNTERSIGN_SOAK_COUNT") ?? count
  const minutes = numberOf("COUNTERSIGN_SOAK_MINUTES") ?? Number.POSITIVE_INFINITY
  const shown = join(root, "test/soak/results", `${name}.json`)
  const saved = join(root, "test/.campaigns", `${name}.json`)
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim()
  const earlier = read(saved)
  let result: CampaignResult =
    earlier?.commit === commit && earlier.trials < wanted
      ? earlier
      : { commit, date: "", trials: 0, seconds: 0, counts: {} }
  const began = performance.now()
  const before = result.seconds
  while (result.trials < wanted && performance.now() - began < minutes * 60_000) {
    const end = Math.min(wanted, result.trials + turn)
    const counts = { ...result.counts }
    for (const [key, added] of Object.entries(await run(result.trials, end))) {
      counts[key] = (counts[key] ?? 0) + added
    }
    result = {
      commit,
      date: new Date().toISOString().slice(0, 10),
      trials: end,
      seconds: before + Math.round((performance.now() - began) / 1000),
      counts,
    }
    write(saved, result)
    if (result.trials >= (read(shown)?.trials ?? 0)) write(shown, result)
    console.log(`${name}: ${end} of ${wanted} trials after ${result.seconds} s`)
  }
  assert.isAbove(result.trials, 0)
  return result
}
