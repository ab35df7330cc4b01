/**
 * Searches the messages and requests of an organization. An index finds the messages to examine, newest first, and the
 * scan ends when the page is full or `examine` messages were examined. A page therefore costs the same in a log of any
 * length, and for a filter that matches rarely.
 */
import * as Verification from "@countersign/core/domain/verifications/Verification"
import * as Search from "@countersign/core/ports/Search"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import { type Value, int8s } from "./connection/parameters.ts"
import type { Statement } from "./connection/pipeline.ts"
import type { Database } from "./database.ts"
import type { Forms } from "./numbers/cipher.ts"
import { int8, type Row, orNull } from "./rows/columns.ts"
import { decodeEvent, events } from "./rows/eventRows.ts"
import { decodeRefusal, refusals } from "./rows/recordRows.ts"
import { foundIn } from "./rows/rowTable.ts"
import * as Tables from "./rows/tables.ts"
import { databaseNow } from "./statements/batchReads.ts"
import { rangeOfDates, halve } from "./statements/queries.ts"

/** Returns the selected rows of the examined messages, which are a subquery. */
type Select = (examined: string) => string

/** `$1` to `$7` are `parametersOf`. `numbers` are the parameters with the forms of the phone number, if there is one. */
const search = (
  schema: string,
  columns: string,
  numbers: ReadonlyArray<string>,
  select: Select,
) => {
  const belowWith = (list: string, high: string, condition = "") =>
    `SELECT ${list} FROM ${schema}.messages
          WHERE organization = $1 ${condition}
            AND sequence <= ${high} AND sequence >= (SELECT low FROM r) ORDER BY sequence DESC`
  const below = (list: string, high: string) => {
    const parts = numbers.map((number) => belowWith(list, high, `AND phone_number = ${number}`))
    if (parts.length < 2) return parts[0] ?? belowWith(list, high)
    const newestOfAll = parts.map((part) => `(${part} LIMIT $6::int8 + 1)`).join(" UNION ALL ")
    return `SELECT * FROM (${newestOfAll}) AS either ORDER BY sequence DESC`
  }
  const newest = "(SELECT high FROM r)"
  return `${rangeOfDates(schema)}, r AS MATERIALIZED (
        SELECT version, last_at, low, least(high, $2::int8 - 1) AS high FROM b
      ), f AS MATERIALIZED (
        ${select(`(${below("*", newest)} LIMIT $6::int8) m`)} ORDER BY m.sequence DESC LIMIT $3::int8
      )
      SELECT r.version, r.last_at, ${databaseNow} AS now, f.sequence, ${columns},
        1 + CASE WHEN (SELECT count(*) FROM f) < $3::int8
          THEN (${below("sequence", newest)} OFFSET $6::int8 LIMIT 1)
          ELSE (${below("sequence", "(SELECT min(sequence) - 1 FROM f)")} LIMIT 1) END AS next
      FROM r LEFT JOIN f ON true ORDER BY f.sequence DESC`
}

const selectMessages: Select = (examined) =>
  `SELECT * FROM ${examined} WHERE m.status = ANY ($7::text[])
          AND ($8::text IS NULL OR m.gateway = $8::text)
          AND ($9::text[] IS NULL OR m.gateway_id = ANY ($9::text[]))
          AND ($10::text IS NULL OR m.channel = $10::text)
          AND ($11::text IS NULL OR m.sender = $11::text)
          AND ($12::text IS NULL OR m.batch = $12::text)
          AND ($13::text[] IS NULL OR m.failure_reason = ANY ($13::text[]))`

/** A request is at the place of its first message. The messages after it also lead to it. */
const selectVerifications = (schema: string): Select => {
  const delivery = `(SELECT newest.status FROM ${schema}.messages newest
            WHERE newest.organization = $1 AND newest.sequence = v.message_sequence)`
  return (examined) =>
    `SELECT v.*, m.sequence, ${delivery} AS delivery
        FROM ${examined}, LATERAL (
          SELECT * FROM ${schema}.verifications
          WHERE organization = $1 AND request_id = m.request_id OFFSET 0) v
        WHERE v.status = ANY ($7::text[])
          AND ($8::text IS NULL OR v.channel = $8::text)
          AND ($9::text IS NULL OR v.purpose = $9::text)
          AND ($10::text[] IS NULL OR ${delivery} = ANY ($10::text[]))
          AND coalesce(v.earlier_messages[1], v.message_sequence) = m.sequence`
}

const parametersOf = (
  organization: string,
  { before, examine, from, limit, statuses, to }: Search.MessageSearch | Search.VerificationSearch,
): ReadonlyArray<Value> => [organization, before, limit, from, to, examine, statuses]

/** Creates the statements for one schema, whose name is quoted. */
export const statements = (schema: string, forms: Forms) => {
  /** Adds the forms of the phone number to the parameters, if there is one. */
  const statement = (
    organization: string,
    { phoneNumber }: Search.Search,
    columns: string,
    select: Select,
    params: ReadonlyArray<Value>,
  ): Statement => {
    const either = phoneNumber === undefined ? [] : forms.number(phoneNumber, organization)
    const numbers = either.map((_, index) => `$${params.length + 1 + index}`)
    return {
      sql: search(schema, columns, numbers, select),
      params: [...params, ...either],
    }
  }

  return {
    searchMessages: (organization: string, query: Search.MessageSearch) =>
      statement(organization, query, Tables.messages.of("f"), selectMessages, [
        ...parametersOf(organization, query),
        query.gateway ?? null,
        query.gatewayId === undefined ? null : forms.text(query.gatewayId),
        query.channel ?? null,
        query.sender ?? null,
        query.batch ?? null,
        query.reasons ?? null,
      ]),

    searchVerifications: (organization: string, query: Search.VerificationSearch) =>
      statement(
        organization,
        query,
        `f.delivery, ${Tables.verifications.of("f")}`,
        selectVerifications(schema),
        [
          ...parametersOf(organization, query),
          query.channel ?? null,
          query.purpose ?? null,
          query.deliveries ?? null,
        ],
      ),

    /** Reads at most `Refusal.maxKept` rows, which the primary key finds. */
    searchRefusals: (
      organization: string,
      { before, codes, digests, from, limit, to }: Search.RefusalSearch,
    ): Statement => {
      const either = [codes, digests].flatMap((list) => (list === undefined ? [] : [list]))
      const place = `$${5 + either.length}::text[]`
      return {
        sql: `SELECT ${refusals.of("r")} FROM ${schema}.accounts a
        LEFT JOIN LATERAL (
          SELECT * FROM ${schema}.refusals WHERE organization = $1
            AND sequence < coalesce($2::int8, ${Number.MAX_SAFE_INTEGER})
            AND ($4::int8 IS NULL OR at >= $4::int8) AND ($5::int8 IS NULL OR at <= $5::int8)
            ${codes === undefined ? "" : "AND code = ANY ($6::text[])"}
            ${digests === undefined ? "" : `AND digest = ANY (${place})`}
          ORDER BY sequence DESC LIMIT $3::int8
        ) r ON true
        WHERE a.organization = $1 ORDER BY r.sequence DESC`,
        params: [organization, before, limit, from, to, ...either],
      }
    },
  }
}

const { status } = Tables.messages.fields
const { requestId } = Tables.verifications.fields

type Service = Pick<Store["Service"], "refusals" | "searchMessages" | "searchVerifications">

export const makeSearches = (
  { clock, forms, query, schema }: Database,
  execute: Store["Service"]["execute"],
): Service => {
  const sql = statements(schema, forms)

  const readVerifications = Effect.fnUntraced(function* (
    organization: string,
    search: Search.VerificationSearch,
  ) {
    const rows = yield* query(sql.searchVerifications(organization, search))
    const hostNow = yield* clock.hostNow
    const found = pageOf(rows, Tables.decodeVerification)
    const deliveries = new Map(
      rows
        .filter((row) => typeof row["delivery"] === "string")
        .map((row) => [requestId.decode(row, "request_id"), status.decode(row, "delivery")]),
    )
    const [row] = rows
    if (found === undefined || row === undefined) return undefined
    const lastAt = int8.decode(row, "last_at")
    return { ...found, deliveries, lastAt, now: Math.max(clock.timeAt(hostNow, row), lastAt) }
  })

  return {
    searchMessages: (organization, search) =>
      Effect.map(query(sql.searchMessages(organization, search)), (rows) =>
        pageOf(rows, Tables.messages.decode),
      ),
    searchVerifications: Effect.fnUntraced(function* (organization, search) {
      const found = yield* readVerifications(organization, search)
      if (found === undefined) return undefined
      const { lastAt, now, ...page } = found
      const late = page.rows.find((one) => Verification.mustRemember(one, lastAt, now))
      if (late === undefined) return { ...page, now }
      const { requestId } = late
      yield* execute({ _tag: "ObserveVerification", organization, requestId })
      // A check may have verified one of the requests before that commit.
      const again = yield* readVerifications(organization, search)
      if (again === undefined) return undefined
      const { lastAt: then, now: _, ...latest } = again
      return { ...latest, now: then }
    }),
    refusals: (organization, search) =>
      Effect.map(query(sql.searchRefusals(organization, search)), (rows) =>
        rows.length === 0 ? undefined : foundIn(rows, decodeRefusal),
      ),
  }
}

const pageOf = <A>(rows: ReadonlyArray<Row>, decode: (row: Row) => A) => {
  const [row] = rows
  if (row === undefined) return undefined
  return {
    version: int8.decode(row, "version"),
    rows: foundIn(rows, decode),
    next: row["next"] === null ? undefined : int8.decode(row, "next"),
  }
}

/**
 * A binary search finds the first row of the time `$2`, because times never decrease along the sequence. `until` is
 * the time of the first row that is not examined. Returns one row if nothing is found.
 */
const traceOf = (schema: string, table: string, log: string, columns: string, condition: string) =>
  `WITH RECURSIVE edge (low, high) AS (
        SELECT ${log} FROM ${schema}.accounts WHERE organization = $1
        UNION ALL
        ${halve(schema, "edge", "m.at >= $2::int8", { table, time: "at" })}
      ), s AS MATERIALIZED (SELECT low FROM edge WHERE low = high)
      SELECT (SELECT at FROM ${schema}.${table} WHERE organization = $1 AND sequence = s.low + $3::int8) AS until, ${columns}
      FROM s LEFT JOIN LATERAL (SELECT * FROM ${schema}.${table}
        WHERE organization = $1 AND sequence >= s.low AND sequence < s.low + $3::int8 AND ${condition} OFFSET 0
      ) e ON true ORDER BY e.sequence`

const isOfMessage = "message_sequence = ANY ($4::int8[])"

/** The statements that read the ledger and the event log. `schema` is quoted. */
export const traceStatements = (
  schema: string,
  organization: string,
  { examine, from, messages, requestId }: Search.TraceQuery,
): readonly [Statement, Statement] => {
  const params = [organization, from, examine, int8s(messages)]
  const ofEvents = `(${isOfMessage} OR request_id = $5)`
  return [
    {
      sql: traceOf(schema, "entries", "1::int8, entries + 1", Tables.entries.of("e"), isOfMessage),
      params,
    },
    {
      sql: traceOf(schema, "events", "first_event, last_event + 1", events.of("e"), ofEvents),
      params: [...params, requestId],
    },
  ]
}

const until = orNull(int8)
const untilOf = ([row]: ReadonlyArray<Row>) => row && (until.decode(row, "until") ?? undefined)

export const makeTrace = ({ query, schema }: Database): Store["Service"]["trace"] =>
  Effect.fnUntraced(function* (organization, wanted) {
    const [ofEntries, ofEvents] = traceStatements(schema, organization, wanted)
    const ledger = yield* query(ofEntries)
    const log = yield* query(ofEvents)
    return {
      entries: foundIn(ledger, Tables.entries.decode),
      events: foundIn(log, decodeEvent),
      until: Search.earlier(untilOf(ledger), untilOf(log)),
    }
  })
