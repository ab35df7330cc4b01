/** The reads of what is stored of a phone number, one kind of rows at a time. */
import type { Kind } from "@countersign/core/decide/maintenance/Erasure"
import { mask } from "@countersign/core/domain/values/PhoneNumber"
import type { PersonalStep } from "@countersign/core/ports/PersonalData"
import * as Parameters from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import { events } from "../rows/eventRows.ts"
import { refusals } from "../rows/refusalRows.ts"
import * as Tables from "../rows/tables.ts"

const { erasedRecipients, idempotencyKeys, messages, recipients, reports, verifications } = Tables

/** A step, and the forms that its phone number may have in rows. */
export interface Step extends PersonalStep {
  readonly forms: ReadonlyArray<string>
}

/**
 * The statements for each kind. The first one returns the page, with the place after it as `next` in each of its rows.
 * `schema` is quoted.
 */
export const make = (
  schema: string,
): Readonly<Record<Kind, (step: Step) => ReadonlyArray<Statement>>> => {
  const row = (table: string, alias: string, condition: string) =>
    `LATERAL (SELECT * FROM ${schema}.${table} WHERE organization = $1 AND ${condition} OFFSET 0) ${alias}`

  /** Newest first. Each form of the number is a range of the index, which is in the order of sequences. */
  const ofNumber = (forms: ReadonlyArray<string>): string => {
    const parts = forms.map(
      (_, index) => `(SELECT * FROM ${schema}.messages WHERE organization = $1
        AND phone_number = $${index + 4} AND sequence < $2 ORDER BY sequence DESC LIMIT $3)`,
    )
    return parts.length === 1
      ? parts.join("")
      : `SELECT * FROM (${parts.join(" UNION ALL ")}) m ORDER BY sequence DESC LIMIT $3`
  }
  /** The events after a place, and the last place. Other numbers may have the same mask. */
  const span = `WITH a AS MATERIALIZED (
      SELECT greatest($3::int8, first_event - 1) AS low, last_event FROM ${schema}.accounts WHERE organization = $1
    ), page AS MATERIALIZED (
      SELECT e.* FROM a, LATERAL (SELECT * FROM ${schema}.events WHERE organization = $1
        AND sequence > a.low AND sequence <= a.low + $4::int8 AND phone_number = $2 OFFSET 0) e
    )`
  const keysAfter = `SELECT * FROM ${schema}.idempotency_keys
      WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3`
  return {
    recipients: ({ digests, forms, organization }) => [
      {
        sql: `SELECT ${recipients.list}, NULL AS next FROM ${schema}.recipients
          WHERE organization = $1 AND phone_number = ANY ($2::text[])`,
        params: [Parameters.text(organization), Parameters.texts(forms)],
      },
      {
        sql: `SELECT ${erasedRecipients.list} FROM ${schema}.erased_recipients
          WHERE organization = $1 AND digest = ANY ($2::text[])`,
        params: [Parameters.text(organization), Parameters.texts(digests)],
      },
    ],
    messages: ({ after = String(Number.MAX_SAFE_INTEGER), forms, limit, organization }) => {
      const params = Parameters.list(organization, Number(after), limit, ...forms)
      const page = ofNumber(forms)
      return [
        {
          sql: `WITH page AS MATERIALIZED (${page})
            SELECT ${messages.list}, (SELECT CASE WHEN count(*) = $3 THEN min(sequence)::text END FROM page) AS next
            FROM page ORDER BY sequence DESC`,
          params,
        },
        {
          sql: `SELECT ${reports.of("r")} FROM (${page}) m, ${row("reports", "r", "message_sequence = m.sequence")}
            ORDER BY r.message_sequence DESC, r.position`,
          params,
        },
        {
          sql: `SELECT ${verifications.of("v")} FROM (${page}) m,
              ${row("verifications", "v", "request_id = m.request_id")}
            WHERE v.message_sequence = m.sequence ORDER BY v.message_sequence DESC`,
          params,
        },
      ]
    },
    // Retention has dropped the messages, which have an index on their number. Without it, there is nothing to scan.
    verifications: ({ after = "", forms, limit, organization }) => [
      {
        sql: `WITH page AS MATERIALIZED (
            SELECT * FROM ${schema}.verifications v WHERE organization = $1 AND request_id > $2
              AND (SELECT first_message > 1 FROM ${schema}.accounts WHERE organization = $1)
            ORDER BY request_id LIMIT $3
          ), l AS MATERIALIZED (
            SELECT CASE WHEN count(*) = $3 THEN max(request_id) END AS next FROM page
          )
          SELECT l.next, ${verifications.of("v")} FROM l LEFT JOIN page v ON v.phone_number = ANY ($4::text[])
            AND v.message_sequence < (SELECT first_message FROM ${schema}.accounts WHERE organization = $1)`,
        params: [...Parameters.list(organization, after, limit), Parameters.texts(forms)],
      },
    ],
    events: ({ after = "0", limit, organization, phoneNumber }) => {
      const params = Parameters.list(organization, mask(phoneNumber), Number(after), limit)
      return [
        {
          sql: `${span}
            SELECT CASE WHEN a.low + $4 < a.last_event THEN (a.low + $4)::text END AS next, ${events.of("e")}
            FROM a LEFT JOIN page e ON true ORDER BY e.sequence`,
          params,
        },
        {
          sql: `${span}
            SELECT DISTINCT ON (v.request_id) ${verifications.of("v")} FROM page e,
              ${row("verifications", "v", "request_id = e.request_id")}`,
          params,
        },
      ]
    },
    // An organization keeps a bounded number of them.
    refusals: ({ digests, organization }) => [
      {
        sql: `SELECT ${refusals.list}, NULL AS next FROM ${schema}.refusals
          WHERE organization = $1 AND digest = ANY ($2::text[]) ORDER BY sequence`,
        params: [Parameters.text(organization), Parameters.texts(digests)],
      },
    ],
    answers: ({ after = "", limit, organization }) => {
      const params = Parameters.list(organization, after, limit)
      return [
        {
          sql: `WITH page AS MATERIALIZED (${keysAfter})
            SELECT ${idempotencyKeys.list}, (SELECT CASE WHEN count(*) = $3 THEN max(id) END FROM page) AS next
            FROM page ORDER BY id`,
          params,
        },
        {
          sql: `SELECT ${messages.of("m")} FROM (${keysAfter}) k, ${row("messages", "m", "sequence = k.message_sequence")}`,
          params,
        },
      ]
    },
  }
}
