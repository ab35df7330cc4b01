/** Verification requests as CSV (RFC 4180). It never contains a code. */
import { textCell } from "../values/Csv.ts"

/** A request of the log, with the status of its newest message. */
export interface Row {
  readonly requestId: string
  readonly phoneNumber: string
  readonly channel: string
  readonly status: string
  readonly delivery: string | null
  readonly purpose: string | null
  readonly attemptsRemaining: number
  /** Epoch milliseconds, like the other times. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly verifiedAt: number | null
  readonly consumedAt: number | null
}

/** The first line. */
export const header =
  "createdAt,requestId,phoneNumber,channel,status,delivery,purpose,attemptsRemaining,expiresAt,verifiedAt,consumedAt\r\n"

const time = (at: number | null): string => (at === null ? "" : new Date(at).toISOString())

/** The lines of requests, without the first line. */
export const lines = (requests: ReadonlyArray<Row>): string =>
  requests
    .map((request) =>
      [
        time(request.createdAt),
        request.requestId,
        textCell(request.phoneNumber),
        request.channel,
        request.status,
        request.delivery ?? "",
        textCell(request.purpose),
        request.attemptsRemaining,
        time(request.expiresAt),
        time(request.verifiedAt),
        time(request.consumedAt),
      ].join(),
    )
    .map((line) => `${line}\r\n`)
    .join("")
