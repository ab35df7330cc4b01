/**
 * Countersign in NestJS 12: the engine as an injectable service, a guard for verified phone numbers, the answers of
 * errors, and mounts for Express and Fastify.
 *
 * @example
 * ```ts
 * imports: [CountersignModule.forRoot({ secret, database })]
 * ```
 */
export { CountersignErrorFilter } from "./internal/filter.ts"
export { Verified, VerifiedPhone, type VerifiedRequest } from "./internal/guard.ts"
export { CountersignModule, type ModuleExtras } from "./internal/module.ts"
export { mountCountersign } from "./internal/mount.ts"
export { CountersignService } from "./internal/service.ts"
