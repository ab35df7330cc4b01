import { assert, describe, it } from "vitest"
import * as RecipientRows from "../../../src/domain/outbox/RecipientRows.ts"

const row = (...record: ReadonlyArray<string>) => ({ record, info: { lines: 7 } })
const readNumber = (cell: string) => `+${cell}`

describe("the titles of a file of recipients", () => {
  it.each<readonly [string, RecipientRows.Titles | RecipientRows.TitleProblem]>([
    ["to", { names: ["to"], number: 0, text: -1 }],
    [" name , phone_number ,text", { names: ["name", "phone_number", "text"], number: 1, text: 2 }],
    ["name,To", { repeated: null }],
    ["to,name,name", { repeated: "name" }],
    ["to,to", { repeated: "to" }],
    ["", { repeated: null }],
  ])("%j", (line, expected) => {
    assert.deepStrictEqual<unknown>(RecipientRows.readTitles(line.split(",")), expected)
  })
})

describe("a row of a file of recipients", () => {
  it.each([
    [row("1", "Amir", ""), { phoneNumber: "+1", values: { to: "1", name: "Amir", text: "" } }],
    [
      row(" 1 ", "", "Hi"),
      { phoneNumber: "+1", values: { to: " 1 ", name: "", text: "Hi" }, text: "Hi" },
    ],
    [row("1", "Amir"), { line: 7, phoneNumber: "+1", cells: 2, expected: 3 }],
    [row("1", "Amir", "", ""), { line: 7, phoneNumber: "+1", cells: 4, expected: 3 }],
    [row(), { line: 7, phoneNumber: "+", cells: 0, expected: 3 }],
  ])("%j", (given, expected) => {
    const titles = { names: ["to", "name", "text"], number: 0, text: 2 }
    assert.deepStrictEqual<unknown>(RecipientRows.readRow(titles, given, readNumber), expected)
  })

  it("without a column of texts has none of its own", () => {
    const titles = { names: ["to"], number: 0, text: -1 }
    assert.notProperty(RecipientRows.readRow(titles, row("1"), readNumber), "text")
  })

  it.each([
    [row("1"), true],
    [["1"], false],
    [null, false],
    ["record info", false],
    [{ record: [] }, false],
    [{ info: {} }, false],
  ])("differs from other values: %j", (value, expected) => {
    assert.strictEqual(RecipientRows.isRow(value), expected)
  })
})
