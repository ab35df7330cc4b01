/** Reads and erases what is stored of a phone number. */
import * as Decision from "@countersign/core/decide/Decision"
import * as Erasure from "@countersign/core/decide/maintenance/Erasure"
import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import type { EraseResult, EraseStep, PersonalRows } from "@countersign/core/ports/PersonalData"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import type { Work } from "./batches/transactions.ts"
import * as Parameters from "./connection/parameters.ts"
import type { Statement } from "./connection/pipeline.ts"
import type { Query } from "./connection/query.ts"
import type { Forms } from "./numbers/cipher.ts"
import { type Row, text } from "./rows/columns.ts"
import { decodeEvent, encodeEvent } from "./rows/eventRows.ts"
import { decodeRefusal } from "./rows/refusalRows.ts"
import { foundIn } from "./rows/rowTable.ts"
import * as Tables from "./rows/tables.ts"
import type { BatchSql } from "./statements/batchSql.ts"
import * as Statements from "./statements/personalDataSql.ts"

type Results = ReadonlyArray<ReadonlyArray<Row>>

const isRequestOf = (event: LoggedEvent, id: string): boolean =>
  "requestId" in event && event.requestId === id

/** The rows of one kind, from the results of its statements. */
const decode: Readonly<Record<Erasure.Kind, (results: Results) => Partial<Erasure.Rows>>> = {
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
        request: known.find(({ requestId }) => isRequestOf(event, requestId)),
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

const rowsOf = (kind: Erasure.Kind, results: Results): PersonalRows => {
  const [row] = results[0] ?? []
  return {
    rows: { ...Erasure.noRows, ...decode[kind](results) },
    next: row === undefined || row["next"] === null ? undefined : text.decode(row, "next"),
  }
}

/** `schema` is quoted. */
export const makePersonalRows = (
  schema: string,
  query: Query,
  formsOf: Forms,
): Store["Service"]["personalRows"] => {
  const statements = Statements.make(schema)
  const exists = `SELECT 1 FROM ${schema}.accounts WHERE organization = $1`
  return Effect.fnUntraced(function* (step) {
    const found = yield* query({ sql: exists, params: Parameters.list(step.organization) })
    if (found.length === 0) return undefined
    const forms = formsOf.number(step.phoneNumber, step.organization)
    const reads = statements[step.kind]({ ...step, forms })
    return rowsOf(step.kind, yield* Effect.forEach(reads, query))
  })
}

/** Returns the work of one step, under the lock of the organization. `schema` is quoted. */
export const eraseWork = (
  schema: string,
  sql: BatchSql,
  given: EraseStep,
  timeOf: (accountRow: Row) => number,
  stamp: number,
  formsOf: Forms,
): Work<EraseResult | undefined> => {
  const step = { ...given, forms: formsOf.number(given.phoneNumber, given.organization) }
  return {
    home: step.organization,
    reads: () => [
      sql.lockAccounts([step.organization]),
      ...Statements.make(schema)[step.kind](step),
    ],
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
      const { counts, erasedRecipient, events, keys, left, messages, refusals } = erased
      const { reports, verifications } = erased
      const parts = [
        ...(messages.length === 0 ? [] : [sql.saveMessages(messages)]),
        ...(reports.length === 0 ? [] : [sql.saveReports(reports)]),
        ...(verifications.length === 0 ? [] : [sql.saveVerifications(verifications)]),
        ...(events.length === 0 ? [] : [sql.saveEvents(events.map(encodeEvent))]),
        ...(keys.length === 0 ? [] : [sql.saveIdempotencyKeys(keys)]),
        ...(refusals.length === 0 ? [] : [sql.saveRefusals(refusals)]),
        ...(erasedRecipient === undefined ? [] : [sql.saveErasedRecipients([erasedRecipient])]),
      ]
      const statements = deletions(schema, step, erased, formsOf)
      return {
        value: { counts, left, next },
        // The stamp of the account makes transactions that have read these rows without a lock read them again.
        rows:
          parts.length + statements.length === 0
            ? []
            : [...parts, sql.saveAccounts([account], stamp)],
        statements,
      }
    },
  }
}

const deletions = (
  schema: string,
  { forms, organization }: Statements.Step,
  { isRecipientOver, messages, named }: Erasure.Erased,
  formsOf: Forms,
): ReadonlyArray<Statement> => {
  const id = Parameters.text(organization)
  const statements: Array<Statement> = []
  if (isRecipientOver) {
    statements.push({
      sql: `DELETE FROM ${schema}.recipients WHERE organization = $1 AND phone_number = ANY ($2::text[])`,
      params: [id, Parameters.texts(forms)],
    })
  }
  if (messages.length > 0) {
    statements.push({
      sql: `DELETE FROM ${schema}.gateway_ids WHERE organization = $1 AND sequence = ANY ($2::int8[])`,
      params: [id, Parameters.int8s(messages.map(({ sequence }) => sequence))],
    })
  }
  if (named.length > 0) {
    const sought = named.flatMap(({ gateway, gatewayId }) =>
      formsOf.text(gatewayId ?? "").map((form) => ({ gateway, form })),
    )
    statements.push({
      sql: `DELETE FROM ${schema}.kept_reports WHERE (gateway, gateway_id) IN (
        SELECT * FROM unnest($1::text[], $2::text[]))`,
      params: [
        Parameters.texts(sought.map(({ gateway }) => gateway)),
        Parameters.texts(sought.map(({ form }) => form)),
      ],
    })
  }
  return statements
}
