/**
 * Sample rows and commands for tests. Each function returns an ordinary one. Override the fields that the
 * test is about.
 */
export * from "./internal/samples/commands.ts"
export * from "./internal/samples/rows.ts"
