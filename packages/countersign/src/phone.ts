/**
 * Phone numbers as people type them, for pages and servers. Loads no module of Node and none of Effect.
 */
export * from "./internal/tools/parsePhoneNumber.ts"
