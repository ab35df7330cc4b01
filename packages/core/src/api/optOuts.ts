/** The operations on the numbers that get no promotional messages. */
import * as Schema from "effect/Schema"
import { maxNumbers } from "../domain/messages/OptOut.ts"
import * as Fields from "./Fields.ts"
import { get, operation, post } from "./Operation.ts"

const { Boolean, Int, String } = Schema
const { field, record } = Fields

const path = "/organizations/:organization/opt-outs"

const numbers = Fields.input("OptOutNumbers", "Phone numbers to put on the list, or to remove.", {
  phoneNumbers: field(
    Schema.Array(String),
    `1 to ${maxNumbers.toLocaleString("en")} numbers in E.164 form; the plus is optional.`,
  ),
})

const changed = record("ChangedOptOuts", "A changed list.", {
  changed: field(Int, "How many of the numbers were not as requested before."),
})

const examples = { phoneNumbers: ["+8801712345678"] }

export const optOuts = {
  add: operation({
    summary: "Send numbers no promotional messages",
    meaning:
      "From the next message on, on every node. The list has keyed digests instead of numbers, and stays when a number is erased. Safe to repeat.",
    input: numbers,
    output: changed,
    errors: ["invalid_request"],
    admin: post("optOuts.add", "support", path, { example: examples }),
  }),
  remove: operation({
    summary: "Send numbers promotional messages again",
    meaning: "Safe to repeat.",
    input: numbers,
    output: changed,
    errors: ["invalid_request"],
    admin: post("optOuts.remove", "support", `${path}/remove`, { example: examples }),
  }),
  check: operation({
    summary: "Read whether a number has opted out",
    meaning: "",
    input: Fields.ofPhoneNumber,
    output: record("OptOutStatus", "Whether a number gets promotional messages.", {
      isOptedOut: field(Boolean, "Whether the number gets no promotional messages."),
      since: field(Fields.timeOrNull, "When it was added; `null` if it has not opted out."),
    }),
    errors: ["invalid_request"],
    admin: get("optOuts.check", "read", path),
  }),
}
