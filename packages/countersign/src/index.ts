/**
 * Countersign for apps that do not use Effect: promises, plain values and error classes.
 */
export type {
  RequestContext,
  AdminMount,
  Callbacks,
  Countersign,
  HttpServer,
  Listener,
  Mount,
  ShutdownInput,
} from "./internal/types/countersign.ts"
export { createCountersign, migrateCountersign } from "./internal/engine/createCountersign.ts"
export {
  developmentGateway,
  type DevelopmentGateway,
} from "./internal/gateways/developmentGateway.ts"
export {
  type HttpAnswer,
  type HttpRequest,
  httpSender,
  type HttpSenderOptions,
} from "./internal/gateways/httpSender.ts"
export * from "./internal/errors/countersignError.ts"
export {
  errorResponse,
  type ErrorBody,
  type ErrorResponse,
} from "./internal/errors/errorResponse.ts"
export * from "./internal/errors/errors.ts"
export * from "./internal/errors/fieldProblem.ts"
export type * from "@countersign/core/api/types/account"
export type * from "@countersign/core/api/types/apiKeys"
export type * from "@countersign/core/api/types/audit"
export type * from "@countersign/core/api/types/fraud"
export type * from "@countersign/core/api/types/organizations"
export type * from "@countersign/core/api/types/refusals"
export type * from "@countersign/core/api/types/senders"
export type * from "@countersign/core/api/types/totals"
export type * from "@countersign/core/api/types/webhooks"
export type * from "@countersign/core/api/Page"
export type * from "@countersign/core/api/PlainTypes"
export type * from "@countersign/core/api/types/events"
export type * from "@countersign/core/api/types/gateways"
export type * from "@countersign/core/api/types/messages"
export type * from "@countersign/core/api/types/privacy"
export type * from "@countersign/core/api/types/reports"
export type * from "@countersign/core/api/types/verifications"
export type * from "./internal/types/gateways.ts"
export type * from "@countersign/http/admin/AdminOptions"
export {
  parsePhoneNumber,
  type ParsePhoneNumberOptions,
} from "./internal/tools/parsePhoneNumber.ts"
export type * from "./internal/types/options.ts"
export type * from "./internal/types/services.ts"
export { androidHash, type AndroidApp, lintTexts } from "./internal/options/texts.ts"
export { createTestClock } from "./internal/options/movableClock.ts"
export type { ApiKeyScope } from "@countersign/core/domain/access/ApiKeyScope"
export type {
  DurationRange,
  Limit,
  Range,
  WindowLimit,
} from "@countersign/core/domain/limits/LimitValues"
export type { MessageStatus } from "@countersign/core/domain/messages/MessageStatus"
export type { Channel } from "@countersign/core/domain/values/Channel"
export type { Duration } from "@countersign/core/domain/values/DurationText"
export type { Payment } from "@countersign/core/domain/verifications/Payment"
export type {
  VerificationFailure,
  VerificationState,
} from "@countersign/core/domain/verifications/VerificationState"
export type { Limits } from "@countersign/core/api/types/limits"
