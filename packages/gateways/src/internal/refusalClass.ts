import type { RejectionReason } from "@countersign/core/domain/values/RejectionReason"

/** The class to which a vendor's error code can be assigned. */
export type RefusalClass = RejectionReason | "throttled" | "unknown"
