/** Mistakes with what a node keeps in memory between two commits, and the tests that notice them. */
import type { Mistake } from "./planting.ts"

const internal = "packages/postgres/src/internal"
const rowCache = "packages/postgres/test/internal/batches/rowCache.test.ts"

export const cacheMistakes: ReadonlyArray<Mistake> = [
  {
    name: "a commit does not change the stamp in memory",
    file: `${internal}/batches/organizationRows.ts`,
    find: "if (this.isChanged) this.stamp = this.nextStamp",
    replace: "",
    test: { path: rowCache, title: "needs no read for a new number, its code and its message" },
  },
  {
    name: "rows stay in memory while the outcome of their batch is open",
    file: `${internal}/batches/rowCache.ts`,
    find: "const own = this.#remove(organization)",
    replace: "const own = this.#known.get(organization)",
    test: { path: rowCache, title: "leaves nothing of it in memory" },
  },
  {
    name: "a guess of an absent recipient is not verified by the write",
    file: `${internal}/batches/batchWork.ts`,
    find: "absent: needs.guesses,",
    replace: "absent: [],",
    test: { path: rowCache, title: "is read if it exists, and further numbers for 32 batches" },
  },
  {
    name: "a batch is written with the time of a clock that differs from the database's",
    file: `${internal}/batches/batchWork.ts`,
    find: "now: carried,",
    replace: "now: undefined,",
    test: { path: rowCache, title: "is read again if the node's clock is 5000 ms ahead" },
  },
  {
    name: "the stamps of a batch are compared in the order of its commands",
    file: `${internal}/statements/join.ts`,
    find: "condition.organizations.toSorted((a, b) =>\n        compare(a.organization, b.organization),\n      )",
    replace: "condition.organizations",
    test: { path: rowCache, title: "needs no read beside others in one batch, in any order" },
  },
  {
    name: "a stamp is the one before plus one",
    file: `${internal}/batches/batchWork.ts`,
    find: "nextStamp()",
    replace: "1 + Math.max(0, ...rows.organizations.map(({ stamp }) => stamp))",
    test: {
      path: "packages/postgres/test/internal/batches/restore.test.ts",
      title: "are dropped if the database was restored into the same server",
    },
  },
  {
    name: "recipients are guessed again right after a wrong guess",
    file: `${internal}/batches/rowCache.ts`,
    find: "if (isReturning) this.#returning.set(one, returningBatches * all.size)",
    replace: "if (isReturning) this.#returning.delete(one)",
    test: { path: rowCache, title: "is read if it exists, and further numbers for 32 batches" },
  },
  {
    name: "the rows in memory have no bound",
    file: `${internal}/batches/rowCache.ts`,
    find: "if (this.#size <= this.#maxRows) break",
    replace: "if (this.#size <= Infinity) break",
    test: {
      path: "packages/postgres/test/internal/batches/rowCache.bounds.test.ts",
      title: "keeps a bounded number of rows, those of the organizations used last",
    },
  },
  {
    name: "an outcome is recorded for any message with the sequence",
    file: "packages/core/src/delivery/Dispatcher.ts",
    find: "token: message.token,",
    replace: "",
    test: {
      path: "packages/core/test/services/Restore.test.ts",
      title: "records no outcome for a message that has the sequence of a lost one",
    },
  },
]
