/**
 * `pnpm verify`: everything that must hold before a change goes in. Stops after the static checks if one of them
 * fails, and at the first failure after that. `--static` runs only the static checks. The last line of the output
 * says how many checks passed.
 */
import { installReleaseTools, run, runPnpm, runTool } from "./run.ts"

type Step = readonly [title: string, step: () => Promise<{ readonly code: number | null }>]

const show = { inherit: true } as const

/** The fastest ones come first; half of them need the second workspace. */
const staticChecks: ReadonlyArray<Step> = [
  ["Tools of the second workspace", installReleaseTools],
  ["Generated files", () => runTool("codegen.ts", ["--check"])],
  ["Format", () => run("oxfmt", ["--check"], show)],
  ["Lint", () => run("oxlint", ["--deny-warnings"], show)],
  ["Dependencies", () => runPnpm(["check:deps"], show)],
  ["Links", () => runPnpm(["check:links"], show)],
  ["Prose", () => run("textlint", ["."], show)],
  // An incremental build may repeat errors that a change of `lib` has cured.
  ["Types", () => runPnpm(["types", "--force"], show)],
]

/** The doc examples are tests (`test/release/DocExamples.test.ts`). */
const otherChecks: ReadonlyArray<Step> = [
  ["API reference", () => runTool("../release/tools/apiReference.ts", ["--types-checked"])],
  ["Package exports", () => runTool("packages.ts")],
  ["Tests", () => runTool("test.ts")],
]

const passes = async ([title, step]: Step): Promise<boolean> => {
  console.log(`\n== ${title}`)
  const { code } = await step()
  if (code !== 0) console.error(`\n== Failed: ${title}`)
  return code === 0
}

let passed = 0
let failed = 0
const count = async (step: Step): Promise<void> => {
  if (await passes(step)) passed += 1
  else failed += 1
}

for (const step of staticChecks) await count(step)
for (const step of process.argv.includes("--static") ? [] : otherChecks) {
  if (failed === 0) await count(step)
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
