/**
 * Plain data of the export and the erasure of a phone number.
 */
import type { Message, MessageReport } from "./Data.ts"
import type { LoggedEvent, NumberErasedEvent } from "./EventData.ts"
import type { Refusal } from "../api/types/refusals.ts"
import type { FoundVerification, Metadata } from "./VerificationData.ts"

/** A phone number whose data is exported or erased. */
export interface PersonalData {
  /** In E.164 form; the plus is optional. The options `countries` and `testNumbers` do not matter. */
  readonly phoneNumber: string
}

/** The result of an erasure. */
export interface ErasedNumber extends Omit<
  NumberErasedEvent,
  "type" | "organization" | "at" | "sequence"
> {
  /**
   * Number of rows that are still needed: messages without a final outcome, and requests that began during the
   * erasure. Erase again until none is left, after the settlement deadline at the latest.
   */
  readonly left: number
}

/** A request in an export. */
export interface ExportedVerification extends Pick<
  FoundVerification,
  | "requestId"
  | "phoneNumber"
  | "channel"
  | "attemptsRemaining"
  | "createdAt"
  | "expiresAt"
  | "verifiedAt"
  | "consumedAt"
  | "purpose"
> {
  readonly metadata: Metadata | null
  /** As stored: a request that has expired is `pending`. */
  readonly status: "pending" | "verified" | "failed"
  /** Number of times that the code was sent again. */
  readonly resends: number
  /** When the code was last sent. */
  readonly sentAt: Date
  /** The `sequence` of each log entry that carried the code, oldest first. */
  readonly messageSequences: ReadonlyArray<number>
  /** The first digits of the number, for which fraud detection counts the code. */
  readonly prefix: string | null
  /** Times of recent checks, if they are limited. */
  readonly checks: ReadonlyArray<Date>
}

/** A part of what is stored of a phone number. */
export type PersonalRecord =
  | ({ readonly type: "message" } & Message & {
        /** The delivery reports on the message. */
        readonly reports: ReadonlyArray<MessageReport>
      })
  | ({ readonly type: "verification" } & ExportedVerification)
  | { readonly type: "event"; readonly event: LoggedEvent }
  | ({ readonly type: "refusal" } & Refusal)
  /** The stored answer of a call with an idempotency key, as JSON text. */
  | {
      readonly type: "answer"
      readonly answer: string | null
      readonly messageSequence: number | null
      readonly requestId: string | null
      readonly expiresAt: Date
    }
  | {
      readonly type: "limits"
      /** Whether an erasure has left these limits, under a keyed digest of the number. */
      readonly isErased: boolean
      /** Times of recent requests for a code. */
      readonly requests: ReadonlyArray<Date>
      /** Times of recent wrong codes. */
      readonly wrongCodes: ReadonlyArray<Date>
      /** Number of wrong codes since the last right one. */
      readonly wrongCodesSinceSuccess: number
      /** Keyed digests of the clients that have verified the number. */
      readonly clients: ReadonlyArray<{ readonly digest: string; readonly verifiedAt: Date }>
    }
