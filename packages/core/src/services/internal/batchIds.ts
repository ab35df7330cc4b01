/** The ids of batches and of their messages, and the digests that prove a repeat to be one. */
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Batch from "../../domain/outbox/Batch.ts"
import {
  messageIdPrefix,
  type OrganizationId,
  randomBytes,
  sortable,
} from "../../domain/values/Ids.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import { utf8 } from "../../engine/internal/utf8.ts"

/** Number of hexadecimal digits of an id. */
const digits = 44

export const makeBatchIds = Effect.gen(function* () {
  const digest = yield* Digest.Digest
  const sha256 = (bytes: Uint8Array) => Effect.orDie(digest.digest(Digest.sha256, bytes))

  const joined = (before: Uint8Array, text: string): Uint8Array => {
    const after = utf8(text)
    const bytes = new Uint8Array(before.length + after.length)
    bytes.set(before)
    bytes.set(after, before.length)
    return bytes
  }

  return {
    /** The same for each call with the key. */
    ofKey: (organization: OrganizationId, key: string) =>
      Effect.map(
        sha256(utf8(`batch\n${organization}\n${key}`)),
        (hash) => `${Batch.batchIdPrefix}_${Hex.encode(hash).slice(0, digits)}`,
      ),
    fingerprint: (terms: Batch.BatchTerms) => sha256(utf8(JSON.stringify(terms))),
    /** The digest of all recipients up to and including these. */
    next: (chain: Uint8Array, items: ReadonlyArray<unknown>) =>
      sha256(joined(chain, JSON.stringify(items))),
    /** A number has one message in a batch. */
    ofNumbers: (
      { createdAt, salt }: Batch.Batch,
      rows: ReadonlyArray<{ readonly phoneNumber: PhoneNumber }>,
    ) =>
      Effect.forEach(rows, ({ phoneNumber }) =>
        Effect.map(sha256(joined(salt, phoneNumber)), (hash) =>
          sortable(messageIdPrefix, createdAt, hash.subarray(0, randomBytes)),
        ),
      ),
  }
})
