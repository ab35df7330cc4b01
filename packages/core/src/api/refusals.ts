/** The operations on the calls that were refused. */
import * as Schema from "effect/Schema"
import { errorCodes } from "../domain/errors/ErrorCode.ts"
import * as Domain from "../domain/verifications/Refusal.ts"
import * as Fields from "./Fields.ts"
import { get, operation } from "./Operation.ts"

const { field, optional, optionalText, record, textOrNull } = Fields

const code = Schema.Literals(errorCodes).annotate({ named: "ErrorCode" })

const refusalRecord = record(
  "Refusal",
  "A call that was refused, so that nothing was sent or checked.",
  {
    sequence: field(
      Schema.Int,
      "The position among the organization's kept refusals, from 1 without gaps.",
    ),
    at: Fields.time,
    operation: field(
      Schema.Literals(Domain.operations),
      "`verify`, `resend` and `check` are calls of `verifications`, `message` is one of `messages`. `fallback` is the SMS of a code that did not arrive over WhatsApp.",
    ),
    code: field(code, "The `code` of the error."),
    reason: field(
      textOrNull,
      "Which limit of `rate_limited`, or the problem of `invalid_request` and `sender_unusable`, such as `prefix_blocked`; `null` for other codes.",
    ),
    parameters: field(
      Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite])),
      "The numbers of the error, such as `retryAfterSeconds`, amounts as decimals, or the name of the invalid field.",
    ),
    channel: Schema.NullOr(Fields.channel),
    country: field(textOrNull, "ISO 3166 alpha-2; `null` if it is unknown."),
    phoneNumber: field(textOrNull, "The masked phone number; `null` if it is unknown or erased."),
    requestId: field(textOrNull, "The request of a check or a resend."),
    apiKeyId: field(textOrNull, "The key of the caller; `null` for a call of your own code."),
    actor: field(textOrNull, "The actor of a call of your own code; `null` for a call with a key."),
  },
)

export const refusalFields = refusalRecord.fields

const refusal = Fields.view(refusalRecord, Domain.shown)

export const refusals = {
  list: operation({
    listing: { items: "refusals", from: "cursor" },
    summary: "List refused calls",
    meaning:
      "Newest first. An organization keeps the newest 1,000. The totals of the kind `refusals` count all of them.",
    input: Fields.input("ListRefusals", "Selects refused calls. All given fields have to match.", {
      phoneNumber: optionalText(
        "The phone number of the call: E.164, with or without its plus.",
        "any phone number",
      ),
      codes: optional(
        Schema.Array(code),
        "The codes of the errors, such as `rate_limited`.",
        "any code",
      ),
      ...Fields.times,
      cursor: Fields.cursor,
      limit: Fields.limit,
    }),
    output: record("RefusalPage", "A page of refused calls, newest first.", {
      refusals: Schema.Array(refusal),
      next: Fields.next,
    }),
    errors: ["invalid_request"],
    admin: get("records.refusals", "read", "/organizations/:organization/refusals"),
  }),
}
