/** Makes the plain data of results. */
import { loggedEvent as event } from "@countersign/core/api/events"
import * as Fields from "@countersign/core/api/Fields"
import { messages } from "@countersign/core/api/messages"
import { showing } from "@countersign/core/api/Operation"
import { personalRecord as record } from "@countersign/core/api/privacy"
import { reports } from "@countersign/core/api/reports"
import { verifications } from "@countersign/core/api/verifications"

export const logEntry = showing(messages.get)

export const messageHistory = showing(messages.history)

export const verification = showing(verifications.get)

export const verificationHistory = showing(verifications.history)

export const loggedEvent = showing({ output: event })

export const personalRecord = showing({ output: record })

export const unmatchedReports = showing(reports.unmatched)

export const metadata = showing({ output: Fields.metadata })
