/** The behaviour of a simulated gateway, as data. */
import type { ReportStatus } from "../domain/messages/ReportStatus.ts"

/** How the gateway treats a message. */
export type Behaviour =
  /** Accepted and delivered immediately. */
  | { readonly _tag: "Deliver" }
  /** Rejected. */
  | { readonly _tag: "Reject"; readonly message: string }
  /** No connection. */
  | { readonly _tag: "NotSend"; readonly message: string }
  /** Accepted, and reported later. */
  | { readonly _tag: "Report"; readonly status: ReportStatus; readonly afterMillis: number }
  /** Accepted, and never reported. */
  | { readonly _tag: "NeverReport" }
  /** No answer; it is unknown whether the message was sent. */
  | { readonly _tag: "NeverAnswer" }

/** The result of a report: applied, or refused because the message is final or not in the journal. */
export type ReportResult = "done" | "final" | "unknown message"
