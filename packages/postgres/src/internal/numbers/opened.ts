/** The border between rows with encrypted phone numbers and the code that decides. */
import type { Command, Tag } from "@countersign/core/decide/Command"
import { needs } from "@countersign/core/decide/Needs"
import type { StoreUnavailable } from "@countersign/core/domain/Errors"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import * as Effect from "effect/Effect"
import type { Lane } from "../batches/transactions.ts"
import type { Query } from "../connection/query.ts"
import * as Tables from "../rows/tables.ts"
import type { Queries } from "../statements/queries.ts"
import type { NumberCipher } from "./cipher.ts"

/** A query whose rows have their phone numbers in plain text. */
export const query =
  (raw: Query, { open }: NumberCipher): Query =>
  (statement) =>
    Effect.map(raw(statement), open)

/** A lane that decides on rows with phone numbers in plain text. */
export const lane = ({ transact }: Lane, { open }: NumberCipher): Lane => ({
  transact: (work) =>
    transact({
      ...work,
      decide: (results) => work.decide(results.map(({ rows }) => ({ rows: open(rows) }))),
    }),
})

/**
 * Reads the phone number of a command's request. While rows have several forms, a request and its recipient may
 * differ in theirs, so SQL cannot join them.
 */
export const phoneNumberOf =
  (queries: Queries, query: Query) =>
  <T extends Tag>(
    command: Command<T>,
  ): Effect.Effect<PhoneNumber | undefined, StoreUnavailable> => {
    const requestId = requestOf(command)
    if (requestId === undefined) return Effect.undefined
    return Effect.map(
      query(queries.readNumberOfRequest(command.organization, requestId)),
      ([row]) => row && Tables.verifications.fields.phoneNumber.decode(row, "phone_number"),
    )
  }

const requestOf = <T extends Tag>(command: Command<T>): string | undefined => {
  try {
    const { requestId }: { readonly requestId?: unknown } = needs(command)
    return typeof requestId === "string" ? requestId : undefined
  } catch {
    // The commit fails for the same reason and reports the failure to the caller.
    return undefined
  }
}
