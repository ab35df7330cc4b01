/** The border between rows with encrypted phone numbers and the code that decides. */
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import * as Effect from "effect/Effect"
import type { Lane, Work } from "../batches/transactions.ts"
import type { Query } from "../connection/query.ts"
import * as Tables from "../rows/tables.ts"
import type { Queries } from "../statements/queries.ts"
import type { NumberCipher } from "./cipher.ts"

/** A lane that decides on rows with phone numbers in plain text. */
export const lane = ({ transact }: Lane, { open }: NumberCipher): Lane => {
  const opened = <A, W extends Pick<Work<A>, "decide">>(work: W): W => ({
    ...work,
    decide: (results, writer) => {
      const opened = results.map(({ rows }) => ({ rows: open(rows) }))
      return work.decide(opened, writer)
    },
  })
  return {
    transact: (work, done) =>
      transact({ ...opened(work), cached: work.cached && opened(work.cached) }, done),
  }
}

/**
 * Reads the phone number of a command's request, which never changes. While rows have several forms, a request and
 * its recipient may differ in theirs, so SQL cannot join them.
 */
export const phoneNumberOf =
  (queries: Queries, query: Query) =>
  (command: {
    readonly organization: unknown
    readonly requestId?: unknown
    readonly phoneNumber?: unknown
  }): Effect.Effect<PhoneNumber | undefined, StoreUnavailable> => {
    const { organization, phoneNumber, requestId } = command
    // A command with a number makes its request.
    if (typeof organization !== "string" || typeof requestId !== "string") return Effect.undefined
    if (phoneNumber !== undefined) return Effect.undefined
    return Effect.map(
      query(queries.readNumberOfRequest(organization, requestId)),
      ([row]) => row && Tables.verifications.fields.phoneNumber.decode(row, "phone_number"),
    )
  }
