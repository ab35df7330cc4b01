/**
 * An inbox for development: a gateway that keeps messages in memory, and a page that shows them with their codes.
 * This module is for hosts without Effect; `@countersign/inbox/effect` has the layers.
 *
 * @example
 * ```ts
 * const inbox = createInbox()
 * const countersign = await createCountersign({ gateways: inbox.gateways })
 * app.use("/inbox", countersignExpress(inbox))
 * ```
 */
export { createInbox } from "./internal/createInbox.ts"
export { NoCodeError, NotForProductionError } from "./internal/errors.ts"
export { specialNumbers } from "./internal/specialNumbers.ts"
export type * from "./internal/types.ts"
