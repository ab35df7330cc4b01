/**
 * Carries the codes that other servers make: receivers of their requests, over an engine.
 *
 * @example
 * ```ts
 * const hook = supabaseSmsHook(countersign, {
 *   secrets: process.env["SEND_SMS_HOOK_SECRETS"],
 *   text: ({ code }) => `${code} is your code for Acme.`,
 * })
 * app.use("/hooks/sms", countersignExpress(hook))
 * ```
 */
export { logtoSmsHook } from "./internal/logto.ts"
export { supabaseSmsHook } from "./internal/supabase.ts"
export { superTokensSms } from "./internal/superTokens.ts"
export { kratosSmsHook, textSmsHook } from "./internal/text.ts"
export type * from "./internal/types.ts"
export { zitadelSmsHook } from "./internal/zitadel.ts"
