/**
 * `pnpm test:soak [WORDS…] [-t TITLE] [--count N] [--minutes M]`: the long campaigns, those whose paths have one of the
 * words, and with `-t NAME:` the one of that name. `--count` is the number of trials of each instead of its own, and
 * `--minutes` ends each earlier. A campaign goes on where its last run on the same commit ended. The last line of the
 * output says how many tests passed. A failure prints the seed and the path of its history.
 */
import { globSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { root } from "./paths.ts"
import { installReleaseTools } from "./run.ts"
import { main } from "./testCommand.ts"

const { positionals, values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  allowPositionals: true,
  options: {
    count: { type: "string" },
    minutes: { type: "string" },
    title: { type: "string", short: "t" },
  },
})

const { count, minutes, title } = values
for (const [name, text] of Object.entries({ count, minutes })) {
  if (text === undefined) continue
  if (!(Number(text) > 0)) throw new Error(`--${name} has to be a number above 0, not "${text}"`)
}

process.env["COUNTERSIGN_SOAK"] = "1"
process.env["COUNTERSIGN_MODEL_RUNS"] ??= count ?? "100000"
if (count !== undefined) process.env["COUNTERSIGN_SOAK_COUNT"] = count
if (minutes !== undefined) process.env["COUNTERSIGN_SOAK_MINUTES"] = minutes

const files = [
  "packages/core/test/adapters/MemoryStore.model.test.ts",
  "packages/postgres/test/Model.test.ts",
  ...globSync("{packages/*/test,test}/**/*.soak.test.ts", {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  }).toSorted(),
]
const chosen =
  positionals.length === 0
    ? files
    : files.filter((file) => positionals.some((word) => file.includes(word)))
if (chosen.length === 0)
  throw new Error(`No campaign has one of these words: ${positionals.join(", ")}`)

// StrykerJS is in the second workspace.
const { code } = await installReleaseTools()
if (code !== 0) throw new Error("The second workspace could not be installed")

await main({
  config: join(root, "vitest.workspace.ts"),
  args: [...chosen, ...(title === undefined ? [] : [`--testNamePattern=${title}`])],
  timeoutMillis: 12 * 3_600_000,
})
