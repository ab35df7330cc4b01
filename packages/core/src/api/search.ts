/** The operation that finds what a support call names: a phone number, an id, or the beginning of a key. */
import * as Schema from "effect/Schema"
import * as Fields from "./Fields.ts"
import { get, operation } from "./Operation.ts"

const { field, record, text, textOrNull } = Fields

const hit = record("SearchHit", "One thing that was found.", {
  kind: field(
    Schema.Literals(["verification", "message", "api_key", "webhook", "payment"]),
    "What it is.",
  ),
  id: text("The id under which its own endpoint has it."),
  label: text(
    "What it is called: the phone number, the name of the key, the URL of the webhook, or the note of the payment.",
  ),
  status: field(
    textOrNull,
    "The status of a message or of a verification; `revoked` for a key; else `null`.",
  ),
  at: field(Fields.timeOrNull, "When it was made; `null` if that is not stored."),
})

export const searches = {
  find: operation({
    summary: "Find something by its number or id",
    meaning:
      "A phone number finds its newest verifications and messages. An id finds what it names: a verification, a message by its own id or the gateway's, a webhook, a payment. The beginning of an API key finds the key. Costs the same in a log of any length.",
    input: Fields.input("Find", "What is looked for.", {
      query: text(
        "1 to 200 characters. Never a whole API key: addresses end up in logs of other programs.",
      ),
    }),
    output: record("SearchHits", "Everything that the text names.", {
      hits: field(
        Schema.Array(hit),
        "By kind, the newest first; at most 5 messages and 5 verifications of a phone number.",
      ),
    }),
    errors: ["invalid_request"],
    admin: get("records.search", "read", "/organizations/:organization/search"),
  }),
}
