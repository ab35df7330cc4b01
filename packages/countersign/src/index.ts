/**
 * Countersign for apps that do not use Effect: promises, plain values and error classes.
 */
export type * from "./internal/types/countersign.ts"
export { createCountersign, migrateCountersign } from "./internal/engine/createCountersign.ts"
export * from "./internal/gateways/developmentGateway.ts"
export * from "./internal/gateways/httpSender.ts"
export * from "./internal/errors/countersignError.ts"
export * from "./internal/errors/errorResponse.ts"
export * from "./internal/errors/errors.ts"
export type * from "./internal/types/operations.ts"
export type * from "@countersign/core/api/Page"
export type * from "@countersign/core/api/PlainTypes"
export type * from "./internal/types/gateways.ts"
export type * from "@countersign/http/admin/AdminOptions"
export type * from "@countersign/http/login/LoginOptions"
export * from "./internal/tools/parsePhoneNumber.ts"
export type * from "./internal/types/options.ts"
export type * from "./internal/types/serve.ts"
export type {
  HostDriver,
  HostPgPool,
  HostPool,
  HostQueries,
  HostRow,
  HostRows,
} from "@countersign/postgres/HostPool"
export type * from "./internal/types/logging.ts"
export type * from "./internal/types/services.ts"
export type * from "./internal/types/tracing.ts"
export * from "./internal/tools/texts.ts"
export { createTestClock } from "./internal/tools/testClock.ts"
export type { ApiKeyScope } from "@countersign/core/domain/access/ApiKeyScope"
export type * from "@countersign/core/domain/limits/LimitValues"
export type { MessageStatus } from "@countersign/core/domain/messages/MessageStatus"
export type { Channel } from "@countersign/core/domain/values/Channel"
export type { Duration } from "@countersign/core/domain/values/DurationText"
export type { Payment } from "@countersign/core/domain/verifications/Payment"
export type {
  VerificationFailure,
  VerificationState,
} from "@countersign/core/domain/verifications/VerificationState"
