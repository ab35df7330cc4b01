/** The operations on the delivery reports of gateways. */
import * as Schema from "effect/Schema"
import { reportStatuses } from "../domain/messages/ReportStatus.ts"
import { rejectionReasons } from "../domain/values/FailureReason.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import * as Fields from "./Fields.ts"
import * as Result from "effect/Result"
import { get, operation } from "./Operation.ts"

const { Boolean, Int, Literals, Record, String, Unknown, optional } = Schema
const { field, record, text, textOrNull, time } = Fields

const status = Literals(reportStatuses)

export const messageReport = record("MessageReport", "A report on a message, as it was received.", {
  position: field(Int, "The position among the reports on the message, from 1."),
  receivedAt: field(time, "When it was received."),
  gateway: text("The gateway that sent the report."),
  gatewayId: field(textOrNull, "The gateway's id of the message; `null` if the report had none."),
  status: field(status, "The reported status."),
  detail: field(textOrNull, "The vendor's words."),
  evidence: field(textOrNull, "The fields of `evidence` that were kept, as JSON."),
})

const unmatchedReport = Schema.Struct({
  gateway: String,
  gatewayId: text("The gateway's id of the message. Digits that may be a phone number are masked."),
  receivedAt: time,
  status,
  detail: textOrNull,
}).annotate({
  named: "UnmatchedReport",
  documentation:
    "A gateway's report on a message that is not known. It is kept for seven days, in case the message becomes known.",
})

const isPosition = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 1

const position = Fields.written(
  Schema.Number,
  isPosition,
  (value) =>
    isPosition(value)
      ? Result.succeed(value)
      : Result.fail(FieldProblem.make("not_positive_integer", {})),
  (value): number => value,
)

const deliveryReport = record("DeliveryReport", "", {
  organization: optional(String),
  messageSequence: optional(position),
  token: optional(String),
  gateway: optional(String),
  gatewayId: optional(Fields.name),
  status,
  reason: optional(Literals(rejectionReasons)),
  detail: optional(textOrNull),
  evidence: optional(Record(String, Unknown)),
  unreachable: optional(Boolean),
})

/** The operations on delivery reports. */
export const reports = {
  receive: operation({
    summary: "Process a gateway's report on a message",
    meaning: "Repeated reports and reports in any order are accepted.",
    input: deliveryReport,
    output: Literals(["applied", "kept", "unknown message"]),
    errors: ["invalid_request", "organization_not_found"],
  }),
  unmatched: operation({
    summary: "List reports on unknown messages",
    meaning: "Of all organizations, without phone numbers. They are kept for seven days.",
    input: record("ListUnmatchedReports", "Selects a page of the reports on unknown messages.", {
      cursor: Fields.cursor,
      limit: Fields.limit,
    }),
    output: record("UnmatchedReports", "A page of reports on unknown messages.", {
      reports: Schema.Array(unmatchedReport),
      next: Fields.next,
    }),
    errors: ["invalid_request"],
    listing: { items: "reports", from: "cursor" },
    admin: get("host.unmatchedReports", "read", "/reports/unmatched", { isOperatorOnly: true }),
  }),
}
