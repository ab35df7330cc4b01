/**
 * `pnpm verify`: everything that must hold before a change goes in. Stops after the static checks if one of them
 * fails, and at the first failure after that. `--static` runs only the static checks. The last line of the output
 * says how many checks passed.
 */
import { type Finished, installReleaseTools, run, runPnpm, runTool } from "./run.ts"

type Step = readonly [title: string, step: () => Promise<Finished>]

const show = { inherit: true } as const

/** The fastest ones come first; half of all static checks need the second workspace. */
const staticChecks: ReadonlyArray<Step> = [
  ["Tools of the second workspace", installReleaseTools],
  ["Generated files", () => runTool("codegen.ts", ["--check"])],
  ["Format", () => run("oxfmt", ["--check"], show)],
  ["Lint", () => run("oxlint", ["--deny-warnings"], show)],
]

/** Each uses one core, so they run at the same time. */
const sideBySide: ReadonlyArray<Step> = [
  ["Dependencies", () => runPnpm(["check:deps"])],
  ["Links", () => runPnpm(["check:links"])],
  ["Prose", () => run("textlint", ["--rulesdir", "test/prose/rules", "."])],
]

const lastStaticChecks: ReadonlyArray<Step> = [
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
  const { code, stderr, stdout } = await step()
  // Empty where it was shown as it came.
  process.stdout.write(stdout + stderr)
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
const running = sideBySide.map(([title, step]) => [title, step()] as const)
for (const [title, finished] of running) await count([title, () => finished])
for (const step of lastStaticChecks) await count(step)
for (const step of process.argv.includes("--static") ? [] : otherChecks) {
  if (failed === 0) await count(step)
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
