/**
 * Phone numbers as people type them, for pages and servers. Loads no module of Node and none of Effect.
 */
export {
  parsePhoneNumber,
  type ParsePhoneNumberOptions,
} from "./internal/tools/parsePhoneNumber.ts"
