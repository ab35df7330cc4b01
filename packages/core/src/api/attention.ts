/** The operation that says what is wrong in an organization. */
import * as Schema from "effect/Schema"
import * as Domain from "../domain/organizations/Finding.ts"
import * as Fields from "./Fields.ts"
import { get, operation } from "./Operation.ts"

const { field, record, timeOrNull } = Fields

const finding = record("Finding", "What is wrong.", {
  code: field(Schema.Literals(Domain.codes), "The cause."),
  isUrgent: field(Schema.Boolean, "Whether messages do not arrive, or soon cannot be sent."),
  since: field(timeOrNull, "`null` if it is unknown."),
  target: field(
    Schema.Struct({
      page: Schema.Literals(Domain.pages),
      id: field(Fields.textOrNull, "The gateway or the webhook; `null` for the whole page."),
    }),
    "The page of the dashboard that shows the cause.",
  ),
  parameters: field(
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite])),
    "The values of the cause: numbers, names, amounts as decimals, and shares in per cent.",
  ),
})

export const attention = {
  read: operation({
    summary: "Read what is wrong",
    meaning:
      "The most urgent first. Shares of delivered messages and verified codes are compared with those of the seven days before.",
    input: Fields.ofOrganization,
    output: record("Attention", "What is wrong in an organization.", {
      findings: Schema.Array(finding),
      daysLeft: field(
        Schema.NullOr(Schema.Int),
        "Whole days for which the balance lasts at the spending of the last seven days; `null` without spending.",
      ),
    }),
    admin: get("records.attention", "read", "/organizations/:organization/attention"),
  }),
}
