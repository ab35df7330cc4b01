/**
 * Redocly's linter, with all of its rules but those that do not fit our interfaces.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./paths.ts"
import { run } from "./run.ts"

const unfit = [
  // The document cannot name an address that fits every operator.
  "info-contact",
  // Failures are `{ error }`, as the interface has them, and the paths are its own.
  "operation-4xx-problem-details-rfc7807",
  "path-segment-plural",
  // Matters of taste: an example, or a minimal length, for each text of each answer.
  "scalar-property-missing-example",
  "required-string-property-missing-min-length",
  "path-http-verbs-order",
  "tags-alphabetical",
]

const command = join(root, "test/release/node_modules/@redocly/cli/bin/cli.js")

/** It asks no server. */
const env = {
  CI: "true",
  REDOCLY_SUPPRESS_NOTIFICATIONS: "true",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  REDOCLY_TELEMETRY: "off",
}

/** Lints an OpenAPI document in an empty folder. Gives its report. */
export const lint = async (
  cwd: string,
  document: string,
  others: ReadonlyArray<string> = [],
): Promise<{ readonly problems: unknown; readonly totals: unknown }> => {
  const rules = Object.fromEntries([...unfit, ...others].map((rule) => [rule, "off"]))
  writeFileSync(join(cwd, "redocly.yaml"), JSON.stringify({ extends: ["all"], rules }))
  writeFileSync(join(cwd, "openapi.json"), document)
  const args = [command, "lint", "openapi.json", "--format=json"]
  const { stdout } = await run(process.execPath, args, { cwd, env, timeoutMillis: 60_000 })
  return JSON.parse(stdout)
}
