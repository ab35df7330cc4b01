/** Reads and erases what is stored of a phone number, one kind of rows at a time. */
import * as Decision from "@countersign/core/decide/Decision"
import * as Erasure from "@countersign/core/decide/maintenance/Erasure"
import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import { mask } from "@countersign/core/domain/values/PhoneNumber"
import type * as Upkeep from "@countersign/core/ports/Upkeep"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import type { Work } from "./batches/transactions.ts"
import { int8s } from "./connection/parameters.ts"
import type { Statement } from "./connection/pipeline.ts"
import type { Database } from "./database.ts"
import { type Row, text } from "./rows/columns.ts"
import { decodeEvent, encodeEvent, events } from "./rows/eventRows.ts"
import { decodeRefusal, refusals } from "./rows/recordRows.ts"
import { outbox } from "./rows/outboxRows.ts"
import { foundIn } from "./rows/rowTable.ts"
import * as Tables from "./rows/tables.ts"
import { ofSome } from "./statements/writes.ts"

const { erasedRecipients, idempotencyKeys, messages, recipients, reports, verifications } = Tables

/** A step, and the forms that its phone number may have in rows. */
interface Step extends Upkeep.PersonalStep {
  readonly forms: ReadonlyArray<string>
}

/**
 * The statements for each kind. The first one returns the page, with the place after it as `next` in each of its rows.
 * `schema` is quoted.
 */
export const statements = (
  schema: string,
): Readonly<Record<Erasure.Kind, (step: Step) => ReadonlyArray<Statement>>> => {
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
    outbox: ({ after = "", forms, limit, organization }) => [
      {
        sql: `WITH page AS MATERIALIZED (
            SELECT o.* FROM unnest($2::text[]) AS f (form), LATERAL (
              SELECT * FROM ${schema}.outbox r WHERE r.organization = $1 AND r.phone_number = f.form
                AND NOT starts_with(r.phone_number, 'erased:') AND r.id > $3 ORDER BY r.id LIMIT $4) o
            ORDER BY o.id LIMIT $4
          )
          SELECT ${outbox.list}, (SELECT CASE WHEN count(*) = $4 THEN max(id) END FROM page) AS next
          FROM page ORDER BY id`,
        params: [organization, forms, after, limit],
      },
    ],
    recipients: ({ digests, forms, organization }) => [
      {
        sql: `SELECT ${recipients.list}, NULL AS next FROM ${schema}.recipients
          WHERE organization = $1 AND phone_number = ANY ($2::text[])`,
        params: [organization, forms],
      },
      {
        sql: `SELECT ${erasedRecipients.list} FROM ${schema}.erased_recipients
          WHERE organization = $1 AND digest = ANY ($2::text[])`,
        params: [organization, digests],
      },
    ],
    messages: ({ after = String(Number.MAX_SAFE_INTEGER), forms, limit, organization }) => {
      const params = [organization, Number(after), limit, ...forms]
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
        params: [organization, after, limit, forms],
      },
    ],
    events: ({ after = "0", limit, organization, phoneNumber }) => {
      const params = [organization, mask(phoneNumber), Number(after), limit]
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
        params: [organization, digests],
      },
    ],
    answers: ({ after = "", limit, organization }) => {
      const params = [organization, after, limit]
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

type Results = ReadonlyArray<ReadonlyArray<Row>>

const isRequestOf = (event: LoggedEvent, id: string): boolean =>
  "requestId" in event && event.requestId === id

/** The rows of one kind, from the results of its statements. */
const decode: Readonly<Record<Erasure.Kind, (results: Results) => Partial<Erasure.Rows>>> = {
  outbox: ([queued = []]) => ({ queued: queued.map(outbox.decode) }),
  recipients: ([recipients = [], erased = []]) => ({
    recipient: recipients.map(Tables.recipients.decode)[0],
    erasedRecipients: erased.map(Tables.erasedRecipients.decode),
  }),
  messages: ([messages = [], reports = [], requests = []]) => ({
    messages: messages.map(Tables.messages.decode),
    reports: reports.map(Tables.reports.decode),
    verifications: requests.map(Tables.decodeVerification),
  }),
  verifications: ([requests = []]) => ({
    verifications: requests.flatMap((row) =>
      row["request_id"] === null ? [] : [Tables.decodeVerification(row)],
    ),
  }),
  events: ([events = [], requests = []]) => {
    const known = requests.map(Tables.decodeVerification)
    return {
      events: foundIn(events, decodeEvent).map((event) => ({
        event,
        verification: known.find(({ requestId }) => isRequestOf(event, requestId)),
      })),
    }
  },
  refusals: ([refusals = []]) => ({ refusals: refusals.map(decodeRefusal) }),
  answers: ([keys = [], messages = []]) => {
    const bySequence = new Map(
      messages.map(Tables.messages.decode).map((message) => [message.sequence, message]),
    )
    return {
      keys: keys.map(Tables.idempotencyKeys.decode).map((key) => ({
        key,
        message: bySequence.get(key.messageSequence ?? 0),
      })),
    }
  },
}

const rowsOf = (kind: Erasure.Kind, results: Results): Upkeep.PersonalRows => {
  const [row] = results[0] ?? []
  return {
    rows: { ...Erasure.noRows, ...decode[kind](results) },
    next: row === undefined || row["next"] === null ? undefined : text.decode(row, "next"),
  }
}

export const makePersonalRows = (database: Database): Store["Service"]["personalRows"] => {
  const { forms: formsOf, query, schema } = database
  const sql = statements(schema)
  const exists = `SELECT 1 FROM ${schema}.accounts WHERE organization = $1`
  return Effect.fnUntraced(function* (step) {
    const found = yield* query({ sql: exists, params: [step.organization] })
    if (found.length === 0) return undefined
    const forms = formsOf.number(step.phoneNumber, step.organization)
    const reads = sql[step.kind]({ ...step, forms })
    return rowsOf(step.kind, yield* Effect.forEach(reads, query))
  })
}

/** Returns the work of one step, under the lock of the organization. */
export const eraseWork = (
  { forms: formsOf, nextStamp, schema, sql }: Database,
  given: Upkeep.EraseStep,
  timeOf: (accountRow: Row) => number,
): Work<Upkeep.EraseResult | undefined> => {
  const step = { ...given, forms: formsOf.number(given.phoneNumber, given.organization) }
  return {
    home: step.organization,
    reads: () => [sql.lockAccounts([step.organization]), ...statements(schema)[step.kind](step)],
    decide: ([accounts, ...results]) => {
      const [row] = accounts?.rows ?? []
      if (row === undefined) return { value: undefined, rows: [] }
      const account = Tables.accounts.decode(row)
      const { next, rows } = rowsOf(
        step.kind,
        results.map((result) => result.rows),
      )
      const [digest] = step.digests
      const now = Decision.timeOf(account, timeOf(row))
      const erased = Erasure.decide(rows, { ...step, digest }, now)
      const { counts, erasedRecipient, left } = erased
      const parts = [
        ...ofSome(erased.messages, sql.saveMessages),
        ...ofSome(erased.reports, sql.saveReports),
        ...ofSome(erased.verifications, sql.saveVerifications),
        ...ofSome(erased.events.map(encodeEvent), sql.saveEvents),
        ...ofSome(erased.keys, sql.saveIdempotencyKeys),
        ...ofSome(erased.refusals, sql.saveRefusals),
        ...ofSome(erased.queued, sql.saveQueued),
        ...ofSome(erasedRecipient && [erasedRecipient], sql.saveErasedRecipients),
      ]
      const statements = deletions(schema, step, erased, formsOf)
      return {
        value: { counts, left, next },
        // The stamp of the account makes transactions that have read these rows without a lock read them again.
        rows:
          parts.length + statements.length === 0
            ? []
            : [...parts, sql.saveAccounts([account], nextStamp())],
        statements,
      }
    },
  }
}

const deletions = (
  schema: string,
  { forms, organization }: Step,
  { isRecipientOver, messages, named }: Erasure.Erased,
  formsOf: Database["forms"],
): ReadonlyArray<Statement> => {
  const deletions: Array<Statement> = []
  if (isRecipientOver) {
    deletions.push({
      sql: `DELETE FROM ${schema}.recipients WHERE organization = $1 AND phone_number = ANY ($2::text[])`,
      params: [organization, forms],
    })
  }
  if (messages.length > 0) {
    deletions.push({
      sql: `DELETE FROM ${schema}.gateway_ids WHERE organization = $1 AND sequence = ANY ($2::int8[])`,
      params: [organization, int8s(messages.map(({ sequence }) => sequence))],
    })
  }
  if (named.length > 0) {
    const sought = named.flatMap(({ gateway, gatewayId }) =>
      formsOf.text(gatewayId ?? "").map((form) => ({ gateway, form })),
    )
    deletions.push({
      sql: `DELETE FROM ${schema}.kept_reports WHERE (gateway, gateway_id) IN (
        SELECT * FROM unnest($1::text[], $2::text[]))`,
      params: [sought.map(({ gateway }) => gateway), sought.map(({ form }) => form)],
    })
  }
  return deletions
}
