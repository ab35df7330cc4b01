/** Mistakes in the commits of several nodes, and in what a node keeps in memory between them. */
import type { Mistake } from "./planting.ts"

const postgresTest = "packages/postgres/test"
const postgres = "packages/postgres/src/internal"

export const commitMistakes: ReadonlyArray<Mistake> = [
  {
    name: "rows are read before the stamps that they are held against",
    file: `${postgres}/batches/transactions.ts`,
    find: "else this.#send(session, statements, decided)",
    replace: `else {
      this.#send(session, [...read, ...first], (found) =>
        decided([...found.slice(read.length), ...found.slice(0, read.length)]),
      )
    }`,
    test: {
      path: `${postgresTest}/internal/batches/transactions.test.ts`,
      title: "never takes older rows for rows of a newer stamp",
    },
  },
  {
    name: "a batch is written although rows have changed since it was read",
    file: `${postgres}/statements/batchSql.ts`,
    find: "WHERE found.stamps = $2::int8[]",
    replace: "WHERE array_length(found.stamps, 1) = array_length($2::int8[], 1)",
    test: {
      path: `${postgresTest}/internal/batches/transactions.test.ts`,
      title: "does not restore a recipient that retention has dropped",
    },
  },
  {
    name: "a refusal is not confirmed by a second look",
    file: `${postgres}/batches/transactions.ts`,
    find: "if (rows.length === 0 && (isRecent || condition === undefined)) {",
    replace: "if (rows.length === 0) {",
    test: {
      path: `${postgresTest}/internal/batches/transactions.test.ts`,
      title: "does not refuse by rows that have changed since",
    },
  },
  {
    name: "retention leaves the account's stamp as it was",
    file: `${postgres}/maintenance/prune.ts`,
    find: "stamp = $${params.length + 1}::int8",
    replace: "stamp = coalesce(a.stamp, $${params.length + 1}::int8)",
    test: {
      path: `${postgresTest}/internal/batches/transactions.test.ts`,
      title: "does not restore a recipient that retention has dropped",
    },
  },
  {
    name: "a redo looks for its lane's row and does not hold it",
    file: `${postgres}/statements/batchReads.ts`,
    find: "INSERT INTO ${schema}.lanes (organization, id, batch) VALUES ($1, $2, 0)\n      ON CONFLICT (organization, id) DO UPDATE SET batch = lanes.batch RETURNING batch",
    replace: "SELECT batch FROM ${schema}.lanes WHERE organization = $1 AND id = $2",
    test: {
      path: `${postgresTest}/internal/batches/transactions.test.ts`,
      title: "does not commit between its look-up and its repeat",
    },
  },
  {
    name: "a redo does not look whether the lost commit took effect",
    file: `${postgres}/batches/transactions.ts`,
    find: 'int8.decode(row, "batch") === this.#signature',
    replace: 'int8.decode(row, "batch") > this.#signature',
    test: {
      path: `${postgresTest}/PostgresStore.test.ts`,
      title: "is neither repeated nor lost when the network happens to lose the answer",
    },
  },
  {
    name: "a lost commit is decided again without a look-up",
    file: `${postgres}/batches/transactions.ts`,
    find: "if (isLost && pending !== undefined) this.#doubt = pending",
    replace: "void isLost",
    test: {
      path: "test/processes/Faults.test.ts",
      title: "lost commits and ended sessions lose nothing, and do nothing twice",
    },
  },
  {
    name: "statements are sent again outside of the transaction that has lost one of them",
    file: `${postgres}/connection/session.ts`,
    find: "isLost && !this.isInTransaction && !isRepeated",
    replace: "isLost && !isRepeated",
    test: {
      path: `${postgresTest}/internal/connection/session.test.ts`,
      title:
        "on a server > fails in a transaction that has lost a statement, and prepares it for the next",
    },
  },
  {
    name: "a commit without an answer is decided again without a look at its lane's row",
    file: `${postgres}/batches/transactions.ts`,
    find: "if (isLost && pending !== undefined) this.#doubt = pending",
    replace: "",
    test: {
      path: `${postgresTest}/internal/batches/batches.test.ts`,
      title: "is looked up after 15 seconds, on another connection",
    },
  },
  {
    name: "accounts are locked in the order of their partitions before a batch is read",
    file: `${postgres}/statements/batchReads.ts`,
    find: "ORDER BY organization FOR UPDATE\n",
    replace: "FOR UPDATE\n",
    test: {
      path: `${postgresTest}/internal/batches/transactions.test.ts`,
      title: "takes them in the order of their names, in any rows: lockAccounts",
    },
  },
  {
    name: "accounts are locked in the order of their partitions when a batch is written",
    file: `${postgres}/statements/batchSql.ts`,
    find: "ORDER BY organization ${",
    replace: "${",
    test: {
      path: `${postgresTest}/internal/batches/transactions.test.ts`,
      title: "takes them in the order of their names, in any rows: joinIfStamped",
    },
  },
  {
    name: "lanes of nodes that are at work are dropped",
    file: `${postgres}/maintenance/expiredRows.ts`,
    find: "r.seen_at < to_timestamp(${now} / 1000.0) - interval '7 days'",
    replace: "${now} >= 0",
    test: {
      path: `${postgresTest}/internal/maintenance/tableScan.test.ts`,
      title: "on a server > drops exactly the lanes without a commit for seven days",
    },
  },
  {
    name: "a commit does not change the stamp in memory",
    file: `${postgres}/batches/organizationRows.ts`,
    find: "if (this.isChanged) this.stamp = this.nextStamp",
    replace: "",
    test: {
      path: `${postgresTest}/internal/batches/rowCache.test.ts`,
      title: "needs no read for a new number, its code and its message",
    },
  },
  {
    name: "rows stay in memory while the outcome of their batch is open",
    file: `${postgres}/batches/rowCache.ts`,
    find: "const own = this.#remove(organization)",
    replace: "const own = this.#known.get(organization)",
    test: {
      path: `${postgresTest}/internal/batches/rowCache.test.ts`,
      title: "leaves nothing of it in memory",
    },
  },
  {
    name: "a guess of an absent recipient is not verified by the write",
    file: `${postgres}/batches/batchWork.ts`,
    find: "absent: needs.guesses,",
    replace: "absent: [],",
    test: {
      path: `${postgresTest}/internal/batches/rowCache.test.ts`,
      title: "is read if it exists, and further numbers for 32 batches",
    },
  },
  {
    name: "a batch is written with the time of a clock that differs from the database's",
    file: `${postgres}/batches/batchWork.ts`,
    find: "now: carried,",
    replace: "now: undefined,",
    test: {
      path: `${postgresTest}/internal/batches/rowCache.test.ts`,
      title: "is read again if the node's clock is 5000 ms ahead",
    },
  },
  {
    name: "a stamp is the one before plus one",
    file: `${postgres}/batches/batchWork.ts`,
    find: "nextStamp()",
    replace: "1 + Math.max(0, ...rows.organizations.map(({ stamp }) => stamp))",
    test: {
      path: `${postgresTest}/internal/batches/restore.test.ts`,
      title: "are dropped if the database was restored into the same server",
    },
  },
  {
    name: "the timer forgets a command that is not urgent",
    file: `${postgres}/batches/batches.ts`,
    find: "stopTimer = delay(maxWait, hurry)",
    replace: "stopTimer = delay(maxWait, () => {})",
    test: {
      path: `${postgresTest}/internal/batches/batches.patient.test.ts`,
      title: "begins no commit, and has one after 10 ms",
    },
  },
  {
    name: "a read does not wait for what its node has to write",
    file: `${postgres}/batches/afterOwnWrites.ts`,
    find: "    Effect.andThen(written(organization), read)",
    replace: "    read",
    test: {
      path: `${postgresTest}/internal/batches/batches.patient.test.ts`,
      title: "a read > of its own organization commits and includes what is not urgent",
    },
  },
  {
    name: "a change of an organization reverts a use of its key",
    file: `${postgres}/organizations/organizationRow.ts`,
    find: "greatest(kept.${name}, excluded.${name})",
    replace: "excluded.${name}",
    test: {
      path: `${postgresTest}/internal/organizations/organizationRow.test.ts`,
      title: "on a server > keep a use of a key that was recorded after they were read",
    },
  },
  {
    name: "the audit of a change is not in its commit",
    file: `${postgres}/organizations/directory.ts`,
    find: "...ofSome(audit, sql.insertAudit),",
    replace: "",
    test: {
      path: `${postgresTest}/StoreContract.test.ts`,
      title:
        "Store: a server > audit > a change of an organization appends who changed what, without secrets",
    },
  },
  {
    name: "a change of the time leaves a send to the node that has taken it since",
    file: `${postgres}/statements/writes.ts`,
    find: "ELSE outbox.claim + 1 END",
    replace: "ELSE excluded.claim END",
    test: {
      path: `${postgresTest}/outbox.test.ts`,
      title:
        "a change of the time that has read a send > takes it from a node that has taken it since",
    },
  },
  {
    name: "a node keeps queued sends, although others take them",
    file: `${postgres}/batches/organizationRows.ts`,
    find: "this.tables.queued.clear()",
    replace: "this.tables.queued.settle(maxOfKind)",
    test: {
      path: `${postgresTest}/StoreContract.test.ts`,
      title:
        "Store: a server > outbox > a change of the time takes a send from the node that has it",
    },
  },
  {
    name: "positions do not follow the order of commits",
    file: `${postgres}/statements/outboxSql.ts`,
    find: "pg_advisory_xact_lock(",
    replace: "pg_advisory_xact_lock_shared(",
    test: {
      path: `${postgresTest}/outbox.test.ts`,
      title:
        "a send that a host adds in its own transaction > waits with its order key until an earlier transaction has ended",
    },
  },
]
