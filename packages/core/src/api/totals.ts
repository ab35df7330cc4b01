/** The operations on totals, for charts and reports. */
import * as Schema from "effect/Schema"
import * as Domain from "../domain/money/Total.ts"
import * as Fields from "./Fields.ts"
import { get, operation } from "./Operation.ts"

const { field, money, optional, record, text } = Fields

const kind = Schema.Literals(Domain.kinds)

const total = Fields.view(
  record(
    "Total",
    'A total of a slot. A dimension is `""` if it is not known, not in `by`, or if the kind does not have it.',
    {
      at: field(Fields.time, "The start of the slot."),
      kind: field(
        kind,
        "`messages` have their status as `outcome`. `requests` have `opened`, `verified`, `failed` and `wrong_code`, and no channel and gateway; `delivered` counts the codes that have arrived, each one of a request. `bookings` have `top-up` and `adjustment` only. `deliveries` have the time from the message to its delivery report: below so many seconds, or `more`. `refusals` have the code of the error, and after a colon its reason, such as `rate_limited:guesses`, and no gateway.",
      ),
      channel: Schema.Literals(["sms", "whatsapp", ""]),
      gateway: Schema.String,
      country: text("ISO 3166 alpha-2."),
      network: text(
        "The operator that the prefix of the number belongs to, for countries whose operators have prefixes of their own; of messages and deliveries.",
      ),
      outcome: Schema.String,
      reason: text("The `failureReason` of messages."),
      count: Schema.Int,
      amount: field(money, "The charges of messages, or the amounts of bookings."),
      refunded: field(money, "The part of `amount` that was given back."),
    },
  ),
  (self: Domain.Total) => self,
)

/** The operations on totals. */
export const totals = {
  read: operation({
    summary: "Read totals",
    meaning: "By time; at most 1,000 slots.",
    input: Fields.input("ReadTotals", "How totals are divided.", {
      ...Fields.period,
      every: optional(
        Schema.Literals(["hour", "day"]),
        "The length of a slot, by the clocks of `zone`; at most 1,000 of them.",
        "`day`",
      ),
      zone: Fields.zone,
      by: optional(
        Schema.Array(Schema.Literals(Domain.dimensions)),
        "The dimensions that divide a slot; the others are added up.",
        "all",
      ),
      kinds: optional(Schema.Array(kind), "Any of these.", "all"),
    }),
    output: Schema.Array(total).annotate({ description: "The totals, by time." }),
    errors: ["invalid_request"],
    admin: get("records.totals", "money", "/organizations/:organization/totals", {
      list: "totals",
      pageName: "Totals",
    }),
  }),
}
