import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type * as Data from "@countersign/core/codec/VerificationData"
import { verificationStates } from "@countersign/core/domain/verifications/VerificationState"
import { Audit } from "@countersign/core/services/Audit"
import { History } from "@countersign/core/services/History"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { engineCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { phoneNumberArgument } from "../phoneNumbers.ts"
import { print, printDone } from "../output.ts"
import { printPage, search } from "../searches.ts"
import * as Session from "../session.ts"
import { organization } from "../settings.ts"
import { refusedLine } from "./refusals.ts"
import { type Column, record, table } from "../table.ts"
import { timelineText } from "../timeline.ts"
import { messageColumns } from "./messages.ts"

const requestId = Argument.String("request").pipe(
  Argument.withDescription("The id of the verification request"),
)

const columns: ReadonlyArray<Column<Data.FoundVerification>> = [
  { title: "request", of: ({ requestId }) => requestId },
  { title: "created", of: ({ createdAt }) => createdAt },
  { title: "phone number", of: ({ phoneNumber }) => phoneNumber },
  { title: "channel", of: ({ channel }) => channel },
  { title: "purpose", of: ({ purpose }) => purpose },
  { title: "status", of: ({ status }) => status },
  { title: "attempts left", of: ({ attemptsRemaining }) => attemptsRemaining, isRight: true },
]

const find = engineCommand(
  "list",
  "Find verification requests, newest first",
  {
    organization,
    ...search,
    statuses: Flag.Literals("status", verificationStates).pipe(
      Flag.withDescription("Repeatable. Default: any"),
      Flag.atLeast(0),
    ),
  },
  Effect.fnUntraced(function* ({ statuses, ...input }) {
    const verifications = yield* Verifications
    const organization = yield* Input.organizationOf(input)
    const found = yield* verifications.search({
      ...input,
      statuses: statuses.length === 0 ? undefined : statuses,
      organization,
    })
    const refused = yield* refusedLine(organization, input.phoneNumber)
    const page = {
      verifications: found.verifications.map(Codec.verification),
      next: found.next ?? null,
    }
    yield* printPage(page, page.verifications, columns, "No request matches.", "cursor", refused)
  }),
)

const show = engineCommand(
  "show",
  "Show a verification request, its messages and its timeline. The code is never shown",
  { organization, requestId },
  Effect.fnUntraced(function* ({ requestId, ...input }) {
    const history = yield* History
    const organization = yield* Input.organizationOf(input)
    const found = yield* history.verification({ organization, requestId })
    const value = Codec.verificationHistory(found)
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

const cancel = engineCommand(
  "cancel",
  "End a pending request. Its code is then refused",
  { organization, requestId },
  Effect.fnUntraced(function* ({ requestId, ...input }) {
    const audit = yield* Audit
    const verifications = yield* Verifications
    const organization = yield* Input.organizationOf(input)
    yield* confirm(`Cancel the request ${requestId}? Its code is then refused.`)
    const cancelled = yield* verifications.cancel({ organization, requestId })
    yield* audit.record({ organization, action: "verification.cancelled", target: requestId })
    yield* printDone(cancelled, `The request ${requestId} is cancelled.`)
  }),
)

const resetGuesses = engineCommand(
  "reset-guesses",
  "Forget the wrong codes for a phone number, so that its codes can be checked again",
  {
    organization,
    phoneNumber: phoneNumberArgument,
  },
  Effect.fnUntraced(function* ({ phoneNumber, ...input }) {
    const verifications = yield* Verifications
    const organization = yield* Input.organizationOf(input)
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
