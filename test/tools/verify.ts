/**
 * `pnpm verify`: everything that must hold before a change goes in. Stops at the first failure.
 */
import { run, runPnpm, runTool } from "./run.ts"

// The doc examples are tests (`test/release/DocExamples.test.ts`). The fastest checks come first.
const steps = [
  ["Generated files", () => runTool("codegen.ts", ["--check"])],
  ["Format", () => run("oxfmt", ["--check"], { inherit: true })],
  ["Lint", () => run("oxlint", ["--deny-warnings"], { inherit: true })],
  ["Dependencies", () => runPnpm(["check:deps"], { inherit: true })],
  ["Links", () => runPnpm(["check:links"], { inherit: true })],
  ["Prose", () => run("textlint", ["."], { inherit: true })],
  // An incremental build may repeat errors that a change of `lib` has cured.
  ["Types", () => run("tsc", ["-b", "--force"], { inherit: true })],
  ["API reference", () => runTool("apiReference.ts")],
  ["Package exports", () => runTool("packages.ts")],
  ["Tests and doc examples", () => runTool("test.ts")],
] as const

for (const [title, step] of steps) {
  console.log(`\n== ${title}`)
  const { code } = await step()
  if (code !== 0) {
    console.error(`\n== Failed: ${title}`)
    process.exit(1)
  }
}
console.log("\n== All good")
