/** The rows of errors are complete. */
import { assert, describe, it } from "vitest"
import { all, paramsOf } from "./tools/errors/rows.ts"

const listed = (values: unknown): ReadonlyArray<string> =>
  typeof values === "object" && values !== null
    ? Object.values(values).map(String)
    : [String(values)]

/** The values of the parameter that selects a sentence. */
const variantsOf = (sentences: unknown): ReadonlyArray<string> =>
  typeof sentences === "object" && sentences !== null ? Object.keys(sentences) : []

describe("the row of an error", () => {
  it("has a code of its own", () => {
    assert.lengthOf(new Set(all.map(({ code }) => code)), all.length)
    for (const { code } of all) assert.match(code, /^[a-z_]{1,40}$/)
  })

  it.each(all)("has sentences for each value of its parameters: $code", (entry) => {
    const params = paramsOf(entry)
    const selecting = params.find(({ name }) => name === entry.by)
    const values = selecting?.type.split(" | ").map((value) => value.slice(1, -1)) ?? []
    for (const sentences of [entry.sentence, entry.more, entry.labels]) {
      if (typeof sentences === "object")
        assert.deepStrictEqual(variantsOf(sentences).toSorted(), values.toSorted())
    }
    const names = params.map(({ name }) => name)
    const used = listed(entry.more ?? "").flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)])
    for (const [, name = ""] of used) assert.include(names, name)
    for (const { description, type } of params) assert.notInclude([description, type], "undefined")
  })

  it.each(all)("has sentences that tell developers what to do: $code", ({ advice, meaning }) => {
    for (const text of [advice, meaning]) assert.match(text, /^[A-Z].*\.$/)
  })
})
