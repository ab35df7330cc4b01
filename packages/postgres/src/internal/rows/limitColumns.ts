/** The columns of limits: what a phone number has used up. */
import * as Guesses from "@countersign/core/domain/verifications/Guesses"
import * as Ids from "@countersign/core/domain/values/Ids"
import type { KnownClient } from "@countersign/core/domain/verifications/KnownClient"
import type { Pending } from "@countersign/core/domain/verifications/Recipient"
import * as Schema from "effect/Schema"
import * as Columns from "./columns.ts"

const { jsonb } = Columns

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
