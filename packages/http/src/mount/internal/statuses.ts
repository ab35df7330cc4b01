import { httpStatuses } from "@countersign/core/domain/errors/ErrorCode"

/** The status of each value of `Countersign-Error`: the engine's codes, and those that only HTTP has. */
export const statuses = {
  ...httpStatuses,
  body_too_large: 413,
  method_not_allowed: 405,
  not_found: 404,
  unsupported_media_type: 415,
} as const

export type FailureCode = keyof typeof statuses
