/** The columns of limits: what a phone number has used up. */
import * as Guesses from "@countersign/core/domain/verifications/Guesses"
import * as Ids from "@countersign/core/domain/values/Ids"
import type { Counts } from "@countersign/core/domain/fraud/PrefixStats"
import type { KnownClient } from "@countersign/core/domain/verifications/KnownClient"
import type { Pending } from "@countersign/core/domain/verifications/Recipient"
import * as Money from "@countersign/core/domain/values/Money"
import * as Schema from "effect/Schema"
import * as Columns from "./columns.ts"

const { constrained, int8, jsonb } = Columns

/** An id, its expiry, and whether a client that is known made the request. */
const decodePending = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Tuple([Schema.String, Schema.Int, Schema.optionalKey(Schema.Literal("known"))]),
  ),
)
export const pending = jsonb<ReadonlyArray<Pending>>(
  (json) =>
    decodePending(json).map(([id, until, known]) => ({
      requestId: Ids.RequestId(id),
      until,
      ...(known !== undefined && { isKnown: true }),
    })),
  (list) =>
    list.map(({ isKnown, requestId, until }) =>
      isKnown === true ? [requestId, until, "known"] : [requestId, until],
    ),
)

const guessesFields = { window: Schema.Array(Schema.Int), sinceSuccess: Schema.Int }
const decodeGuesses = Schema.decodeUnknownSync(Schema.Struct(guessesFields))
export const guesses = Columns.nullFor<Guesses.Guesses>(
  Guesses.none,
  ({ sinceSuccess, window }) => sinceSuccess === 0 && window.length === 0,
  jsonb(decodeGuesses),
)

const decodeClients = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ client: Schema.String, verifiedAt: Schema.Int, ...guessesFields })),
)
export const knownClients = Columns.nullForNone<KnownClient>(jsonb(decodeClients))

/** Two columns: a field `running` is `running_sent` and `running_verified`. */
export const firstCounts: Columns.Column<Omit<Counts, "unverifiedAmount">> = {
  columns: (name) => [
    ...int8.columns(`${name}_sent`),
    ...constrained(int8, (verified) => `CHECK (${verified} BETWEEN 0 AND ${name}_sent)`).columns(
      `${name}_verified`,
    ),
  ],
  write: (bytes, { sent, verified }) => {
    int8.write(bytes, sent)
    int8.write(bytes, verified)
  },
  decode: (row, name) => ({
    sent: int8.decode(row, `${name}_sent`),
    verified: int8.decode(row, `${name}_verified`),
  }),
}

/** Three columns: the third is `running_unverified_amount`. */
export const counts: Columns.Column<Counts> = {
  columns: (name) => [...firstCounts.columns(name), ...int8.columns(`${name}_unverified_amount`)],
  write: (bytes, value) => {
    firstCounts.write(bytes, value)
    int8.write(bytes, value.unverifiedAmount)
  },
  decode: (row, name) => ({
    ...firstCounts.decode(row, name),
    unverifiedAmount: Money.fromUnits(int8.decode(row, `${name}_unverified_amount`)),
  }),
}
