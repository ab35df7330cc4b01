/**
 * Mistakes in totals and statements; see `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const core = "packages/core"
const postgres = "packages/postgres"
const changes = `${core}/test/decide/Increments.test.ts`
const memory = `${core}/test/adapters/MemoryStore.test.ts`
const server = `${postgres}/test/StoreContract.test.ts`

export const totals: ReadonlyArray<Mistake> = [
  {
    name: "a message with another outcome stays in the total of the first",
    file: `${core}/src/decide/Increments.ts`,
    find: "[messageTotal(before, country, -1), messageTotal(after, country, 1)]",
    replace: "[messageTotal(after, country, 1)]",
    test: { path: changes, title: "a change of a message > that is lost counts its refund" },
  },
  {
    name: "a refund does not change the totals",
    file: `${core}/src/decide/Increments.ts`,
    find: "before.createdAt === after.createdAt &&\n    isRefunded(before) === isRefunded(after)",
    replace: "before.createdAt === after.createdAt",
    test: {
      path: memory,
      title: "an open outcome that is closed in the customer's favour becomes a refund",
    },
  },
  {
    name: "the last wrong code is in no total",
    file: `${core}/src/decide/Increments.ts`,
    find: "after.attemptsRemaining < before.attemptsRemaining",
    replace: 'after.attemptsRemaining < before.attemptsRemaining && after.status === "pending"',
    test: { path: changes, title: "a change of a request > by the last wrong code" },
  },
  {
    name: "a batch replaces the totals instead of adding to them",
    file: `${postgres}/src/internal/statements/writes.ts`,
    find: "count = totals.count + excluded.count",
    replace: "count = excluded.count",
    test: {
      path: server,
      title: "a server > totals > parallel commands of several organizations lose nothing",
    },
  },
  {
    name: "only the last command of a batch is in the totals",
    file: `${core}/src/domain/Total.ts`,
    find: "count: known.count + one.count",
    replace: "count: one.count",
    test: {
      path: `${core}/test/domain/Total.test.ts`,
      title: "adds up rows with the same hour and dimensions, and no others",
    },
  },
  {
    name: "totals of the hour that is not over are dropped",
    file: `${core}/src/decide/Pruning.ts`,
    find: "hour + hourMillis <= before",
    replace: "hour <= before",
    test: {
      path: memory,
      title: "totals of an hour are dropped once the hour is old, and stay when messages go",
    },
  },
  {
    name: "a statement begins with the entry at its start",
    file: `${postgres}/src/internal/statements/queries.ts`,
    find: "m.at >= $2::int8",
    replace: "m.at > $2::int8",
    test: {
      path: server,
      title:
        "a server > ledger > the balances before a time are those after the last entry before it",
    },
  },
  {
    name: "a statement loses the entries beyond its first slice",
    file: `${core}/src/services/internal/ledgerSums.ts`,
    find: "sums = Statement.add(sums, slice)",
    replace: "sums = slice",
    test: {
      path: `${core}/test/services/Accounts.statement.test.ts`,
      title:
        "a statement > adds up a ledger that is longer than a slice, and each whole slice once",
    },
  },
  {
    name: "a statement uses the sums of another organization",
    file: `${core}/src/services/internal/ledgerSums.ts`,
    find: "JSON.stringify(last)",
    replace: "`${last.sequence}`",
    test: {
      path: `${core}/test/services/Accounts.statement.test.ts`,
      title:
        "a statement > adds up a ledger that is longer than a slice, and each whole slice once",
    },
  },
  {
    name: "a statement uses the sums of entries that a restore has undone",
    file: `${core}/src/services/internal/ledgerSums.ts`,
    find: "JSON.stringify(last)",
    replace: "`${id} ${last.sequence}`",
    test: {
      path: `${core}/test/services/Accounts.statement.test.ts`,
      title:
        "a statement > adds up a slice again if the database was restored to an entry before its end",
    },
  },
  {
    name: "a flood of refusals drops counts",
    file: `${core}/src/services/internal/refusalBuffer.ts`,
    find: "if (isSame) last",
    replace: "if (isSame && last.kept < maxPerCause) last",
    test: {
      path: `${core}/test/services/internal/refusalBuffer.test.ts`,
      title: "RefusalBuffer > counts every refusal of a flood, and keeps few of them",
    },
  },
  {
    name: "a flood of one cause takes the place of other refusals",
    file: `${core}/src/services/internal/refusalBuffer.ts`,
    find: "counted.kept < maxPerCause && ",
    replace: "",
    test: {
      path: `${core}/test/services/Refusals.test.ts`,
      title: "a refused call > in a flood is counted, and few of each cause are kept",
    },
  },
  {
    name: "refusals stay as long as requests, which may be for good",
    file: `${core}/src/services/Retention.ts`,
    find: "Duration.min(verifications, maxRefusalAge)",
    replace: "verifications",
    test: {
      path: `${core}/test/services/Retention.refusals.test.ts`,
      title: "Retention > keeps refusals no longer than requests",
    },
  },
]
