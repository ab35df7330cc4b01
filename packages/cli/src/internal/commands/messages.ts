import * as Rows from "@countersign/core/api/messages"
import { showing } from "@countersign/core/api/Operation"
import type { Message as LoggedMessage, MessageReport } from "@countersign/core/api/types/messages"
import { MessageNotFound } from "@countersign/core/domain/errors/Errors"
import * as Message from "@countersign/core/domain/messages/Message"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import { Messages } from "@countersign/core/services/Messages"
import { History } from "@countersign/core/services/History"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { organizationCommand } from "../command.ts"
import { argument, many, search, text } from "../flags.ts"
import { print, printPage } from "../output.ts"
import { refusedLine } from "./refusals.ts"
import { type Column, record, table } from "../table.ts"
import { timelineText } from "../timeline.ts"

export const messageColumns: ReadonlyArray<Column<LoggedMessage>> = [
  { title: "id", of: ({ id }) => id },
  { title: "created", of: ({ createdAt }) => createdAt },
  { title: "phone number", of: ({ phoneNumber }) => phoneNumber },
  "channel",
  "status",
  "price",
  "gateway",
  "error",
]

const find = organizationCommand(
  "list",
  "Find messages, newest first",
  {
    ...search,
    statuses: many("status", messageStatuses, "Repeatable. Default: any"),
    gateway: text("gateway", "The gateway that took the message or was chosen for it"),
    gatewayId: text("gateway-id", "The id of the gateway. Needs --gateway"),
  },
  Effect.fnUntraced(function* (organization, input) {
    const messages = yield* Messages
    const found = yield* messages.search({ organization, ...input })
    const refused = yield* refusedLine(organization, input.phoneNumber)
    const page = showing(Rows.messages.list)(found)
    yield* printPage(page, page.messages, messageColumns, "No message matches.", "cursor", refused)
  }),
)

const reportColumns: ReadonlyArray<Column<MessageReport>> = [
  { title: "received", of: ({ receivedAt }) => receivedAt },
  "gateway",
  "status",
  "detail",
  "evidence",
]

const show = organizationCommand(
  "show",
  "Show a message, the reports on it and its timeline",
  { id: argument("id", "The id of the message, or its sequence") },
  Effect.fnUntraced(function* (organization, { id }) {
    const history = yield* History
    // No message has the sequence 0.
    const sequence = /^\d{1,15}$/.test(id) ? Number(id) : (Message.sequenceIn(id) ?? 0)
    const value = showing(Rows.messages.history)(yield* history.message({ organization, sequence }))
    const { message, reports, timeline } = value
    if (message.id !== id && String(sequence) !== id) return yield* new MessageNotFound()
    yield* print(value, (zone) =>
      [
        record(
          {
            Id: message.id,
            Sequence: message.sequence,
            Created: message.createdAt,
            "Phone number": message.phoneNumber,
            Channel: message.channel,
            Sender: message.sender,
            Request: message.requestId,
            Text: message.text,
            Status: message.status,
            Error: message.error,
            "Failure reason": message.failureReason,
            "Vendor's code": message.vendorCode,
            Price: message.price,
            Gateway: message.gateway,
            "Gateway's id": message.gatewayId,
          },
          zone,
        ),
        reports.length === 0 ? "No report has come." : table(reportColumns, reports, zone),
        timelineText(timeline, zone),
      ].join("\n\n"),
    )
  }),
)

export const messages = Command.make("messages").pipe(
  Command.withDescription("The log of messages"),
  Command.withSubcommands([find, show]),
)
