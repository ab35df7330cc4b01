/**
 * The inbox as layers, for hosts with Effect.
 *
 * @example
 * ```ts
 * import * as Inbox from "@countersign/inbox/effect"
 * ```
 */
export { parseDelivery } from "./internal/delivery.ts"
export { NoCodeError, NotForProductionError } from "./internal/errors.ts"
export { Inbox, layer } from "./internal/inbox.ts"
export { layerRoutes, make } from "./internal/routes.ts"
export { specialNumbers } from "./internal/specialNumbers.ts"
export type * from "./internal/types.ts"
