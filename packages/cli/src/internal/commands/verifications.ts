import { showing } from "@countersign/core/api/Operation"
import * as Rows from "@countersign/core/api/verifications"
import { verificationHistory } from "@countersign/core/api/verificationRecords"
import { verificationStates } from "@countersign/core/domain/verifications/VerificationState"
import { Audit } from "@countersign/core/services/Audit"
import { History } from "@countersign/core/services/History"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { organizationCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { argument, many, phoneNumberArgument, search } from "../flags.ts"
import { print, printDone, printPage } from "../output.ts"
import * as Session from "../session.ts"
import { refusedLine } from "./refusals.ts"
import { type Column, record, table } from "../table.ts"
import { timelineText } from "../timeline.ts"
import { messageColumns } from "./messages.ts"

const requestId = argument("request", "The id of the verification request")

const plainPage = showing(Rows.verifications.list)

const columns: ReadonlyArray<Column<ReturnType<typeof plainPage>["verifications"][number]>> = [
  { title: "request", of: ({ requestId }) => requestId },
  { title: "created", of: ({ createdAt }) => createdAt },
  { title: "phone number", of: ({ phoneNumber }) => phoneNumber },
  "channel",
  "purpose",
  "status",
  { title: "attempts left", of: ({ attemptsRemaining }) => attemptsRemaining },
]

const find = organizationCommand(
  "list",
  "Find verification requests, newest first",
  { ...search, statuses: many("status", verificationStates, "Repeatable. Default: any") },
  Effect.fnUntraced(function* (organization, input) {
    const verifications = yield* Verifications
    const found = yield* verifications.search({ organization, ...input })
    const refused = yield* refusedLine(organization, input.phoneNumber)
    const page = plainPage(found)
    yield* printPage(page, page.verifications, columns, "No request matches.", "cursor", refused)
  }),
)

const show = organizationCommand(
  "show",
  "Show a verification request, its messages and its timeline. The code is never shown",
  { requestId },
  Effect.fnUntraced(function* (organization, { requestId }) {
    const history = yield* History
    const found = yield* history.verification({ organization, requestId })
    const value = showing({ output: verificationHistory })(found)
    const { messages, timeline, verification } = value
    yield* print(value, (zone) =>
      [
        record(
          {
            Request: verification.requestId,
            "Phone number": verification.phoneNumber,
            Channel: verification.channel,
            Purpose: verification.purpose,
            Status: verification.status,
            Created: verification.createdAt,
            Expires: verification.expiresAt,
            Verified: verification.verifiedAt,
            Consumed: verification.consumedAt,
            "Attempts left": verification.attemptsRemaining,
            "Resends left": verification.resendsRemaining,
            "Can be sent again": verification.resendAt,
          },
          zone,
        ),
        messages.length === 0 ? "No message is in the log." : table(messageColumns, messages, zone),
        timelineText(timeline, zone),
      ].join("\n\n"),
    )
  }),
)

const cancel = organizationCommand(
  "cancel",
  "End a pending request. Its code is then refused",
  { requestId },
  Effect.fnUntraced(function* (organization, { requestId }) {
    const audit = yield* Audit
    const verifications = yield* Verifications
    yield* confirm(`Cancel the request ${requestId}? Its code is then refused.`)
    const cancelled = yield* verifications.cancel({ organization, requestId })
    yield* audit.record({ organization, action: "verification.cancelled", target: requestId })
    yield* printDone(cancelled, `The request ${requestId} is cancelled.`)
  }),
)

const resetGuesses = organizationCommand(
  "reset-guesses",
  "Forget the wrong codes for a phone number, so that its codes can be checked again",
  { phoneNumber: phoneNumberArgument },
  Effect.fnUntraced(function* (organization, { phoneNumber }) {
    const verifications = yield* Verifications
    yield* Session.reason
    yield* confirm("Forget the wrong codes? Make sure first that the owner of the number asks.")
    yield* verifications.resetGuesses({ organization, phoneNumber })
    yield* printDone({ phoneNumber }, "The wrong codes are forgotten.")
  }),
)

export const verification = Command.make("verification").pipe(
  Command.withDescription("Verification requests"),
  Command.withSubcommands([find, show, cancel, resetGuesses]),
)
