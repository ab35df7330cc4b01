/**
 * The configuration of `countersign serve`: read from a file and from the environment, and checked. The command line
 * runs the process.
 */
export { logOf, notice } from "./internal/engine/log.ts"
export type { Environment } from "./internal/serve/environment.ts"
export { withFiles } from "./internal/serve/environment.ts"
export type { JsonSchema } from "./internal/serve/schema.ts"
export * from "./internal/serve/serveOptions.ts"
export { configVariable, type Setting, settings } from "./internal/serve/variables.ts"
