/** Each mistake is planted in a copy of the sources, where the simulation has to find it. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Schema from "effect/Schema"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { copySources } from "../release/planting.ts"
import { simulatedMistakes } from "../simulation/mistakes.ts"
import type { SimulatedMistake } from "../simulation/ruleMistakes.ts"
import { runCampaign } from "../support/campaign.ts"

/** Most histories in which a mistake has to be found, and how often it is found for the median. */
const histories = 10_000
const wantedFailures = 5

const Hunt = Schema.fromJsonString(
  Schema.Struct({ took: Schema.Array(Schema.Int), problem: Schema.optionalKey(Schema.String) }),
)

let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-simulated-"))
  await copySources(folder)
}, 120_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

const hunt = async (first: number, count: number, failures: number) => {
  const args = ["test/simulation/hunt.ts", String(first), String(count), String(failures)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  return Schema.decodeUnknownSync(Hunt)(stdout)
}

/** The numbers of histories after which the mistake was found. */
const huntFor = async ({ file, find, name, replace }: SimulatedMistake) => {
  const path = join(folder, file)
  const right = await readFile(path, "utf8")
  const parts = right.split(find)
  assert.strictEqual(parts.length, 2, `${name}: ${file} has its text ${parts.length - 1} times`)
  await writeFile(path, parts.join(replace))
  try {
    return await hunt(1, histories, wantedFailures)
  } finally {
    await writeFile(path, right)
  }
}

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

describe("the simulation", () => {
  test(
    `sensitivity: each of ${simulatedMistakes.length} mistakes is found`,
    async () => {
      // How many histories it took to find each mistake, the median; 0 if none has found it.
      const { counts } = await runCampaign({
        name: "sensitivity",
        count: simulatedMistakes.length,
        turn: 1,
        run: async (first) => {
          const mistake = simulatedMistakes[first]
          if (mistake === undefined) return {}
          const { problem, took } = await huntFor(mistake)
          console.log(`${median(took)} of ${took.length}: ${mistake.name}: ${problem}`)
          return { [mistake.name]: median(took) }
        },
      })
      const missed = Object.entries(counts).flatMap(([name, took]) => (took === 0 ? [name] : []))
      assert.deepStrictEqual(missed, [])
    },
    12 * 3_600_000,
  )
})
