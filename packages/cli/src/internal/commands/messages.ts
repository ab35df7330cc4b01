/** The log of messages, and the verification requests that they belong to. */
import { messages as messageRows } from "@countersign/core/api/messages"
import { showing } from "@countersign/core/api/Operation"
import type { Message as LoggedMessage, TimelineStep } from "@countersign/core/api/types/messages"
import { verificationHistory } from "@countersign/core/api/verificationRecords"
import { verifications as verificationRows } from "@countersign/core/api/verifications"
import { MessageNotFound } from "@countersign/core/domain/errors/Errors"
import * as Message from "@countersign/core/domain/messages/Message"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import { verificationStates } from "@countersign/core/domain/verifications/VerificationState"
import { Audit } from "@countersign/core/services/Audit"
import { History } from "@countersign/core/services/History"
import { Messages } from "@countersign/core/services/Messages"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import type * as DateTime from "effect/DateTime"
import { confirm, group, organizationCommand } from "../command.ts"
import { argument, many, phoneNumberArgument, search, text } from "../flags.ts"
import { type Column, formatTime, print, printDone, printPage, record, table } from "../output.ts"
import * as Session from "../session.ts"
import { sendMany } from "./batches.ts"
import { refusedLine } from "./records.ts"

const because = (reason: string | null): string => (reason === null ? "" : `: ${reason}`)

/** Why a message did not arrive: the reason, and the code and the text of the vendor. */
const why = ({
  failureReason,
  reason,
  vendorCode,
}: Extract<TimelineStep, { kind: "settled" | "unconfirmed" }>): string => {
  const code = vendorCode === null ? "" : `, code ${vendorCode}`
  return failureReason === null ? because(reason) : ` (${failureReason}${code})${because(reason)}`
}

/** The details of an entry beside its kind. */
const detailOf = (entry: TimelineStep, zone: DateTime.TimeZone): string => {
  switch (entry.kind) {
    case "requested":
      return `${entry.purpose === null ? "" : `for ${entry.purpose}, `}until ${formatTime(entry.expiresAt, zone)}`
    case "created":
      return `${entry.channel} from ${entry.sender}`
    case "held":
    case "captured":
    case "refunded":
      return entry.amount
    case "attempt":
      return entry.attempt === 1 ? "" : `number ${entry.attempt}, after a node had stopped`
    case "accepted":
      return `by ${entry.gateway}, ${entry.gatewayId ?? "without an id"}`
    case "unconfirmed":
      return `no clear answer of ${entry.gateway}${why(entry)}`
    case "report":
      return `${entry.status} says ${entry.gateway}${because(entry.detail)}${entry.contradicts ? ", too late" : ""}`
    case "settled":
      return `${entry.status} by ${entry.gateway}${why(entry)}`
    case "wrong_codes":
      return `${entry.count}, attempts left: ${entry.attemptsRemaining}`
    case "contradicted":
    case "failed":
      return entry.reason ?? ""
    default:
      return ""
  }
}

const timelineText = (timeline: ReadonlyArray<TimelineStep>, zone: DateTime.TimeZone): string =>
  table(
    [
      ["at", ({ at }) => at],
      ["message", (entry) => ("messageSequence" in entry ? entry.messageSequence : null)],
      ["what", ({ kind }) => kind.replaceAll("_", " ")],
      ["detail", (entry) => detailOf(entry, zone)],
    ],
    timeline,
    zone,
  )

const messageColumns: ReadonlyArray<Column<LoggedMessage>> = [
  ["id", "id"],
  "createdAt",
  "phoneNumber",
  "channel",
  "status",
  "price",
  "gateway",
  "error",
]

const findMessages = organizationCommand(
  "list",
  messageRows.list,
  {
    ...search,
    statuses: many("status", messageStatuses, "Repeatable. Default: any"),
    gateway: text("gateway", "The gateway that took the message or was chosen for it"),
    gatewayId: text("gateway-id", "The id of the gateway. Needs --gateway"),
  },
  function* (organization, input) {
    const found = yield* Messages.use((_) => _.search({ organization, ...input }))
    const note = yield* refusedLine(organization, input.phoneNumber)
    const page = showing(messageRows.list)(found)
    yield* printPage(page, page.messages, messageColumns, "No message matches.", { note })
  },
)

const showMessage = organizationCommand(
  "show",
  messageRows.history,
  { id: argument("id", "The id of the message, or its sequence") },
  function* (organization, { id }) {
    const history = yield* History
    // No message has the sequence 0.
    const sequence = /^\d{1,15}$/.test(id) ? Number(id) : (Message.sequenceIn(id) ?? 0)
    const value = showing(messageRows.history)(yield* history.message({ organization, sequence }))
    const { message, reports, timeline } = value
    if (message.id !== id && String(sequence) !== id) return yield* new MessageNotFound()
    yield* print(value, (zone) =>
      [
        record(
          [
            ["id", "id"],
            "sequence",
            "createdAt",
            "phoneNumber",
            "channel",
            "sender",
            "requestId",
            "text",
            "status",
            "error",
            "failureReason",
            ["vendor's code", "vendorCode"],
            "price",
            "gateway",
            ["gateway's id", "gatewayId"],
          ],
          message,
          zone,
        ),
        reports.length === 0
          ? "No report has come."
          : table(["receivedAt", "gateway", "status", "detail", "evidence"], reports, zone),
        timelineText(timeline, zone),
      ].join("\n\n"),
    )
  },
)

export const messages = group(
  "messages",
  [findMessages, showMessage, sendMany],
  "The log of messages, and messages to many",
)

const request = { requestId: argument("request", "The id of the verification request") }

const find = organizationCommand(
  "list",
  verificationRows.list,
  { ...search, statuses: many("status", verificationStates, "Repeatable. Default: any") },
  function* (organization, input) {
    const found = yield* Verifications.use((_) => _.search({ organization, ...input }))
    const note = yield* refusedLine(organization, input.phoneNumber)
    const page = showing(verificationRows.list)(found)
    yield* printPage(
      page,
      page.verifications,
      [
        "requestId",
        "createdAt",
        "phoneNumber",
        "channel",
        "purpose",
        "status",
        ["attempts left", "attemptsRemaining"],
      ],
      "No request matches.",
      { note },
    )
  },
)

const show = organizationCommand(
  "show",
  "Show a verification request, its messages and its timeline",
  request,
  function* (organization, { requestId }) {
    const found = yield* History.use((_) => _.verification({ organization, requestId }))
    const value = showing({ output: verificationHistory })(found)
    const { messages, timeline, verification } = value
    yield* print(value, (zone) =>
      [
        record(
          [
            "requestId",
            "phoneNumber",
            "channel",
            "purpose",
            "status",
            "createdAt",
            "expiresAt",
            "verifiedAt",
            "consumedAt",
            ["attempts left", "attemptsRemaining"],
            ["resends left", "resendsRemaining"],
            ["can be sent again", "resendAt"],
          ],
          verification,
          zone,
        ),
        messages.length === 0 ? "No message is in the log." : table(messageColumns, messages, zone),
        timelineText(timeline, zone),
      ].join("\n\n"),
    )
  },
)

const cancel = organizationCommand(
  "cancel",
  "End a pending request. Its code is then refused",
  request,
  function* (organization, { requestId }) {
    yield* confirm(`Cancel the request ${requestId}? Its code is then refused.`)
    const cancelled = yield* Verifications.use((_) => _.cancel({ organization, requestId }))
    const entry = { organization, action: "verification.cancelled", target: requestId }
    yield* Audit.use((_) => _.record(entry))
    yield* printDone(cancelled, `The request ${requestId} is cancelled.`)
  },
)

const resetGuesses = organizationCommand(
  "reset-guesses",
  {
    ...verificationRows.resetGuesses,
    summary: `${verificationRows.resetGuesses.summary}. Needs --reason`,
  },
  { phoneNumber: phoneNumberArgument },
  function* (organization, { phoneNumber }) {
    yield* Session.reason
    yield* confirm("Forget the wrong codes? Make sure first that the owner of the number asks.")
    yield* Verifications.use((_) => _.resetGuesses({ organization, phoneNumber }))
    yield* printDone({ phoneNumber }, "The wrong codes are forgotten.")
  },
)

export const verification = group(
  "verification",
  [find, show, cancel, resetGuesses],
  "Verification requests",
)
