/** The operations on fraud detection. */
import * as Schema from "effect/Schema"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import * as Fields from "./Fields.ts"
import { get, operation, post } from "./Operation.ts"

const { field, money, optional, record, text } = Fields

const { Int, String } = Schema

const reason = Schema.Literals(["velocity", "conversion"])

const action = Schema.Literals(["record", "deny"])

const finding = record("TriedFraudFinding", "A prefix that tried rules find suspicious.", {
  organization: String,
  prefix: text("The first digits of the numbers, without a plus."),
  reason: field(
    reason,
    "`velocity`: more codes than `maxSent`. `conversion`: too few codes were verified.",
  ),
  action: field(action, "The action of the fraud rules at that time."),
  at: Fields.time,
  sent: field(Int, "Codes in the current window and the one before it."),
  verified: Int,
})

const listedFinding = record(
  "FraudFinding",
  "A prefix that fraud detection has found suspicious.",
  {
    ...finding.fields,
    unverifiedAmount: field(
      money,
      "Price of the codes in both windows that were not verified. If prices differ, each code has the average one.",
    ),
  },
)

/** Rules that detect codes that users never enter. */
export const fraudRules = record(
  "FraudRules",
  "Rules that detect codes that users never enter, by the first digits of the phone numbers.",
  {
    prefixDigits: optional(
      Int,
      "Number of digits in a prefix, 1 to 8, from the country code on.",
      "5",
    ),
    window: optional(
      Fields.duration,
      "Length of a window: 1 second to 31 days. All nodes must use the same value.",
      '`"1 hour"`',
    ),
    maxSent: optional(Int, "Maximum number of codes for a prefix in a window.", "unlimited"),
    minSent: optional(Int, "Number of codes from which on `minConversion` applies.", "100"),
    minConversion: optional(
      Schema.Finite.annotate({ problem: FieldProblem.make("out_of_range", { min: 0, max: 1 }) }),
      "The share of codes that must be verified, 0 to 1.",
      "0, which disables the rule",
    ),
    action: optional(
      action,
      "`deny` refuses codes for a suspicious prefix; `record` only records the finding.",
      "`record`",
    ),
  },
)

const tally = {
  codes: Int,
  verified: Int,
  denied: Int,
  deniedVerified: field(
    Int,
    "Number of the denied codes that were verified: their users would have got no code.",
  ),
}

const path = "/organizations/:organization/fraud"

export const fraud = {
  findings: operation({
    summary: "List findings",
    meaning: "Newest first.",
    input: Fields.input("ListFindings", "Selects findings.", { limit: Fields.limit }),
    output: Schema.Array(listedFinding).annotate({ description: "The findings, newest first." }),
    listing: {},
    admin: get("fraud.findings", "read", `${path}/findings`, {
      list: "findings",
      pageName: "FraudFindings",
    }),
  }),
  dryRun: operation({
    summary: "Try rules on past requests",
    meaning: "Changes nothing. The default of `action` is `deny`.",
    input: Fields.input("TryFraudRules", "Fraud rules to try on past requests.", {
      rules: fraudRules,
      ...Fields.times,
    }),
    output: record("FraudDryRun", "The result of a trial of fraud rules.", {
      ...tally,
      findings: field(
        Schema.Array(finding),
        "The findings that the rules would have made, newest first, at most 1,000.",
      ),
      prefixes: field(
        Schema.Array(Schema.Struct({ ...tally, prefix: String, reasons: Schema.Array(reason) })),
        "The prefixes with findings; those with most denied codes come first; at most 1,000.",
      ),
      erased: field(Int, "Codes to numbers that were erased. The rules were not tried on them."),
      examinedFrom: field(
        Fields.timeOrNull,
        "The trial covers the requests from this time on, because it looks at 50,000 messages. `null`: all requests.",
      ),
    }),
    errors: ["invalid_request"],
    admin: post("fraud.trial", "read", `${path}/trial`, {
      example: { rules: { maxSent: 20, window: "1 hour" }, from: "2026-01-01T00:00:00.000Z" },
    }),
  }),
}
