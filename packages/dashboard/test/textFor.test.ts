import { assert, it } from "vitest"
import { textFor } from "../app/pages/batches/textFor.ts"

it.each([
  ["Dear {name}, {name}", { name: "Amir" }, "Dear Amir, Amir"],
  ["Dear {name}", { name: "" }, "Dear "],
  ["Dear {name}", { town: "Dhaka" }, "Dear {name}"],
  ["Dear {constructor}", {}, "Dear {constructor}"],
  ["Room {1}, {first name}", { 1: "one", "first name": "Amir" }, "Room {1}, {first name}"],
])("a text is filled as the service fills it: %s", (shared, values, expected) => {
  assert.strictEqual(textFor({ values }, shared), expected)
})

it("the text of a row comes before that of the batch", () => {
  assert.strictEqual(textFor({ text: "Own", values: {} }, "Shared"), "Own")
})
