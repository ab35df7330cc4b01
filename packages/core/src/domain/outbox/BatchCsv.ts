/** Batches as CSV (RFC 4180). */
import { textCell } from "../values/Csv.ts"
import * as Money from "../values/Money.ts"
import type { Batch } from "./Batch.ts"

/** A batch of the list, with what has become of its messages. */
export interface Row extends Pick<
  Batch,
  | "id"
  | "status"
  | "class"
  | "channel"
  | "sender"
  | "recipients"
  | "duplicates"
  | "refused"
  | "segments"
  | "estimate"
  | "createdAt"
  | "startedAt"
  | "endedAt"
  | "text"
> {
  readonly queued: number
  readonly spent: Money.Money
}

/** The first line. */
export const header =
  "createdAt,id,status,class,channel,sender,recipients,duplicates,refused,queued,segments,currency,estimate,spent,startedAt,endedAt,text\r\n"

const time = (at: number | null): string => (at === null ? "" : new Date(at).toISOString())

/** The lines of batches, without the first line. */
export const lines = (batches: ReadonlyArray<Row>, currency: string): string =>
  batches
    .map((batch) =>
      [
        time(batch.createdAt),
        batch.id,
        batch.status,
        batch.class,
        batch.channel,
        textCell(batch.sender),
        batch.recipients,
        batch.duplicates,
        batch.refused,
        batch.queued,
        batch.segments,
        currency,
        Money.format(batch.estimate),
        Money.format(batch.spent),
        time(batch.startedAt),
        time(batch.endedAt),
        textCell(batch.text),
      ].join(),
    )
    .map((line) => `${line}\r\n`)
    .join("")
