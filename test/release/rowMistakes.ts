/**
 * Mistakes in the rows of the database; see `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const rows = "packages/postgres/src/internal/rows"
const path = "packages/postgres/test/internal/rows/rowTable.test.ts"

export const rowMistakes: ReadonlyArray<Mistake> = [
  {
    name: "an integer loses its high half",
    file: `${rows}/bytes.ts`,
    find: "this.#put32(Math.floor(value / 2 ** 32))",
    replace: "this.#put32(0)",
    test: { path, title: "on a server > the least and the largest values arrive" },
  },
  {
    name: "an absent value is written as an empty one",
    file: `${rows}/columns.ts`,
    find: "bytes.int32(-1)",
    replace: "bytes.int32(0)",
    test: { path, title: "on a server > the least and the largest values arrive" },
  },
  {
    name: "a number beyond four bytes is cut",
    file: `${rows}/columns.ts`,
    find: "value === (value | 0)",
    replace: "value === value",
    test: { path, title: "a value that is not of its column's type throws" },
  },
  {
    name: "rows begin with what was left of refused ones",
    file: `${rows}/rowArrays.ts`,
    find: "    scratch.clear()\n",
    replace: "",
    test: { path, title: "rows after a value that was refused are whole" },
  },
]
