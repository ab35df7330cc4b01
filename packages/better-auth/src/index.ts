/**
 * Phone login for better-auth.
 *
 * @example
 * ```ts
 * const auth = betterAuth({ database, plugins: [countersign(engine, { country: "BD" })] })
 * ```
 */
export { countersignPhoneNumber } from "./internal/phoneNumber.ts"
export { countersign } from "./internal/plugin.ts"
export type { ErrorCode, ErrorCodes } from "./internal/errorCodes.ts"
export type * from "./internal/protocol.ts"
export type * from "./internal/types.ts"
