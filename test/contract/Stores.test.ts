import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { storeNames } from "../support/ContractSubject.ts"

describe("stores under the HTTP contract", () => {
  it("each store is selected by exactly one test", () => {
    const sources = readdirSync(import.meta.dirname)
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
    const selected = sources.flatMap((source) =>
      [...source.matchAll(/ContractSubject\.layer\("(\w+)"\)/g)].map(([, store]) => store),
    )
    assert.sameMembers(selected, storeNames)
  })
})
