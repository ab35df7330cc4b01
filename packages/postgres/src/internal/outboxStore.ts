/** The outbox, without what commands change: adding sends, in a transaction of the host as well, and taking them. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import type { QueueRef } from "@countersign/core/domain/outbox/QueuedSend"
import { isOrganizationId, type OrganizationId } from "@countersign/core/domain/values/Ids"
import { maxWakeups, organizationsOf, type OutboxRows } from "@countersign/core/ports/OutboxRows"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { isListenRefused } from "./connection/pooler.ts"
import type { Database } from "./database.ts"
import { int8, type Seal } from "./rows/columns.ts"
import { outbox } from "./rows/outboxRows.ts"
import { rowType } from "./rows/rowTable.ts"
import * as OutboxSql from "./statements/outboxSql.ts"

const { organization, queue } = outbox.fields
const queueRef = rowType<QueueRef>({ organization, queue })

/** How long a node waits before it listens again, after its session was lost. */
const listenAgainAfter = Duration.millis(250)

export interface Options {
  readonly pool: PgPool.PgPool
  /** The name of the schema. */
  readonly name: string
  /** Whether the pool has a connection to spare that listens for sends of others. */
  readonly canListen: boolean
}

export const makeOutboxRows = Effect.fnUntraced(function* (
  { all, arrays, clock, first, forms, query, readable, run, schema }: Database,
  { canListen, name, pool }: Options,
): Effect.fn.Return<OutboxRows, never, Scope.Scope> {
  const sql = OutboxSql.make(schema)
  const channel = OutboxSql.channelOf(name)
  const added = Effect.runSync(PubSub.sliding<OrganizationId>(maxWakeups))
  const unordered = OutboxSql.hostText(schema, channel, false)
  const ordered = OutboxSql.hostText(schema, channel, true)
  const seal: Seal = (value, organization, kind) =>
    (kind === "number" ? forms.number(value, organization) : forms.text(value))[0] ?? value

  const listening = Stream.unwrap(
    Effect.gen(function* () {
      // The connections of PGlite are streams to one session. A further one costs nothing.
      const { config, reserve } = pool
      const connection = yield* config.stream === undefined ? reserve : PgConnection.make(config)
      const notifications = yield* connection.listen(channel)
      // Sends that were added before the session listened have notified no session.
      return Stream.concat(
        Stream.make(undefined),
        Stream.map(Stream.fromQueue(notifications), ({ payload }) =>
          isOrganizationId(payload) ? payload : undefined,
        ),
      )
    }),
  ).pipe(
    Stream.catchIf(isListenRefused, () => Stream.never),
    Stream.retry(Schedule.spaced(listenAgainAfter)),
    Stream.orDie,
  )
  // However many listen, they need one session.
  const notified = yield* Stream.share(listening, {
    capacity: maxWakeups,
    strategy: "sliding",
    replay: 1,
  })

  return {
    enqueue: (sends) =>
      sends.length === 0
        ? Effect.void
        : Effect.andThen(
            Effect.suspend(() => run(sql.enqueue(arrays, sends, channel, seal))),
            Effect.asVoid(PubSub.publishAll(added, organizationsOf(sends))),
          ),
    enqueueStatement: (send) => {
      const values = OutboxSql.hostValues(send, seal)
      return send.orderKey === null
        ? { text: unordered, values: values.slice(0, -1) }
        : { text: ordered, values }
    },
    queued: (organization, id) => first(sql.readQueued(organization, id), outbox.decode),
    queuedPage: (queue, after = 0, limit) =>
      Effect.map(query(sql.readQueuedPage(queue, after, limit + 1)), (rows) => {
        const page = rows.slice(0, limit)
        const last = rows.length > limit ? page.at(-1) : undefined
        return { found: page.map(outbox.decode), next: last && int8.decode(last, "position") }
      }),
    queues: (after, limit) =>
      Effect.flatMap(clock.hostNow, (hostNow) =>
        all(sql.readQueues(hostNow, after, limit), queueRef.decode),
      ),
    takeQueued: (shares, leaseMillis) =>
      Effect.flatMap(clock.hostNow, (hostNow) =>
        // A row with the key of a newer host, for example. It is taken again when its lease ends.
        readable(
          sql.take(hostNow, shares, leaseMillis),
          outbox.decode,
          "Queued sends cannot be read",
        ),
      ),
    nextOfBatch: (share, leaseMillis) =>
      Effect.flatMap(clock.hostNow, (hostNow) =>
        all(sql.nextOfBatch(hostNow, share, leaseMillis), outbox.decode),
      ),
    wakeups: canListen
      ? Stream.merge(Stream.fromPubSub(added), notified)
      : Stream.fromPubSub(added),
  }
})
