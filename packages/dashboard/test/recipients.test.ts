import { assert, it } from "vitest"
import { readRecipients, sendable } from "../app/pages/batches/recipients.ts"

it.each([
  ["", "noRows"],
  ["phone_number,name\n", "noRows"],
  ["number,name\n01712345678,Amir\n", "noNumbers"],
  ["to,name,name\n01712345678,Amir,Amir\n", "repeated"],
  ['to,name\n01712345678,"Amir\n', "unreadable"],
])("a file that has no recipients names its problem: %j", (file, problem) => {
  assert.deepEqual<unknown>(readRecipients(file), problem)
})

it("a row has its number, its text, its values and its line", () => {
  const file =
    '\uFEFFname, to ,text\r\n"Amir, B.",01712-345678,\r\n\r\n"Two\nlines",+15550100,Hi\r\n'
  assert.deepStrictEqual(readRecipients(file), {
    recipients: [
      {
        phoneNumber: "+8801712345678",
        values: { name: "Amir, B.", to: "01712-345678", text: "" },
      },
      {
        phoneNumber: "+15550100",
        values: { name: "Two\nlines", to: "+15550100", text: "Hi" },
        text: "Hi",
      },
    ],
    lines: [2, 5],
    malformed: [],
  })
})

it("a row with other cells than the first line is omitted and named", () => {
  const read = readRecipients("to,name\n01712345678\n01712345679,Amir\n")
  assert.isObject(read)
  if (typeof read === "string") return
  assert.strictEqual(read.recipients.length, 1)
  assert.deepStrictEqual(read.malformed, [
    { line: 2, phoneNumber: "+8801712345678", cells: 1, expected: 2 },
  ])
})

it("only values that a text has are sent", () => {
  const read = readRecipients(
    "to,name,town,text\n01712345678,Amir,Dhaka,\n01712345679,Bo,Sylhet,To {town}\n",
  )
  if (typeof read === "string") assert.fail(read)
  assert.deepStrictEqual(sendable(read, "Hello {name}"), [
    { phoneNumber: "+8801712345678", values: { name: "Amir" } },
    { phoneNumber: "+8801712345679", text: "To {town}", values: { town: "Sylhet" } },
  ])
})
