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
export type * from "@countersign/core/codec/AuditData"
export type * from "@countersign/core/codec/EventData"
export type * from "./internal/types/gateways.ts"
export type * from "@countersign/http/admin/AdminOptions"
export { lintTexts } from "./internal/tools/lintTexts.ts"
export {
  parsePhoneNumber,
  type ParsePhoneNumberOptions,
} from "./internal/tools/parsePhoneNumber.ts"
export type * from "./internal/types/options.ts"
export type * from "./internal/types/services.ts"
export { androidHash, type AndroidApp } from "./internal/tools/androidHash.ts"
export { createTestClock } from "./internal/options/testClock.ts"
export type * from "@countersign/core/codec/Data"
export type * from "@countersign/core/codec/HistoryData"
export type * from "@countersign/core/codec/HostData"
export type * from "@countersign/core/codec/PrivacyData"
export type * from "@countersign/core/codec/VerificationData"
