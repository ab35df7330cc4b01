/**
 * Countersign for apps that do not use Effect: promises, plain values and error classes.
 */
export type {
  RequestContext as Arrival,
  Callbacks,
  Countersign,
  Listener,
} from "./internal/countersign.ts"
export { createCountersign, migrateCountersign } from "./internal/createCountersign.ts"
export { developmentGateway, type DevelopmentGateway } from "./internal/developmentGateway.ts"
export * from "./internal/errors.ts"
export * from "./internal/fieldProblem.ts"
export type { Event } from "./internal/eventTypes.ts"
export type * from "./internal/gatewayTypes.ts"
export { lintTexts } from "./internal/lintTexts.ts"
export { parsePhoneNumber, type ParsePhoneNumberOptions } from "./internal/parsePhoneNumber.ts"
export type * from "./internal/optionTypes.ts"
export type * from "./internal/services.ts"
export { androidHash, type AndroidApp } from "./internal/androidHash.ts"
export { createTestClock, type TestClock, type TimeSpan } from "./internal/testClock.ts"
export type * from "./internal/types.ts"
