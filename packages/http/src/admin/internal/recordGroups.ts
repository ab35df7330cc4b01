/** The endpoints about messages, verifications, events, totals, the audit and phone numbers. */
import { audit } from "@countersign/core/api/audit"
import * as Fraud from "@countersign/core/api/fraud"
import { refusals } from "@countersign/core/api/refusals"
import { totals } from "@countersign/core/api/totals"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OrganizationAccess } from "../Principal.ts"
import * as Events from "../AdminEvents.ts"
import * as Messages from "../AdminMessages.ts"
import {
  cursor,
  endTime,
  limit,
  sequence,
  ofOrganization,
  parameter,
  startTime,
  withId,
  withRequest,
} from "./fields.ts"
import { groupOf } from "./endpoints.ts"
import { group, operation } from "./operation.ts"

const { Array, String, optional } = Schema

const { LogEntry } = Messages

/** What both searches have. */
const filter = {
  phoneNumber: parameter(String, "The recipient."),
  from: optional(startTime),
  to: optional(endTime),
}

const search = { ...filter, cursor, limit }

const messageFilter = {
  statuses: parameter(Array(LogEntry.fields.status), "Any of these."),
  gateway: parameter(String, "The name of the gateway."),
  gatewayId: parameter(String, "The gateway's id of the message. Requires `gateway`."),
}

export const messages = HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.get("search", "/organizations/:organization/messages", {
      params: ofOrganization,
      query: { ...search, ...messageFilter },
      success: Messages.FoundMessages,
    }).annotateMerge(operation("messages.search", "Search messages", "Newest first.")),
    HttpApiEndpoint.get("searchCsv", "/organizations/:organization/messages.csv", {
      params: ofOrganization,
      query: { ...filter, ...messageFilter },
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
    }).annotateMerge(
      operation(
        "messages.searchCsv",
        "Search messages as CSV",
        "Newest first, all pages; at most 1,000,000 messages. Codes in texts are masked.",
      ),
    ),
    HttpApiEndpoint.get("get", "/organizations/:organization/messages/:id", {
      params: withId,
      success: Messages.MessageHistory,
    }).annotateMerge(
      operation(
        "messages.get",
        "Read what has happened to a message",
        "`id` may also be its `sequence`, as in entries of the ledger.",
      ),
    ),
    HttpApiEndpoint.post("send", "/organizations/:organization/messages", {
      params: ofOrganization,
      payload: Messages.SendMessage,
      success: Messages.SentMessage,
    }).annotateMerge(
      operation("messages.send", "Send a message", "It costs its price, and is audited."),
    ),
  )
  .middleware(OrganizationAccess)
  .annotateMerge(group("Messages", "The log of messages."))

export const verifications = HttpApiGroup.make("verifications")
  .add(
    HttpApiEndpoint.get("search", "/organizations/:organization/verifications", {
      params: ofOrganization,
      query: {
        ...search,
        statuses: parameter(Array(Messages.FoundVerification.fields.status), "Any of these."),
      },
      success: Messages.FoundVerifications,
    }).annotateMerge(operation("verifications.search", "Search verifications", "Newest first.")),
    HttpApiEndpoint.get("get", "/organizations/:organization/verifications/:requestId", {
      params: withRequest,
      success: Messages.VerificationHistory,
    }).annotateMerge(
      operation(
        "verifications.get",
        "Read what has happened to a verification",
        "It never contains the code.",
      ),
    ),
    HttpApiEndpoint.post("send", "/organizations/:organization/verifications", {
      params: ofOrganization,
      payload: Messages.SendVerification,
      success: Messages.SentVerification,
    }).annotateMerge(operation("verifications.send", "Send a code")),
    HttpApiEndpoint.post("check", "/organizations/:organization/verifications/:requestId/check", {
      params: withRequest,
      payload: Messages.CheckVerification,
      success: Messages.CheckedVerification,
    }).annotateMerge(operation("verifications.check", "Check a code")),
    HttpApiEndpoint.post("resend", "/organizations/:organization/verifications/:requestId/resend", {
      params: withRequest,
      payload: Messages.ResendVerification,
      success: Messages.ResentVerification,
    }).annotateMerge(operation("verifications.resend", "Send the code again")),
    HttpApiEndpoint.post("cancel", "/organizations/:organization/verifications/:requestId/cancel", {
      params: withRequest,
      success: Messages.CancelledVerification,
    }).annotateMerge(operation("verifications.cancel", "Cancel a verification")),
    HttpApiEndpoint.post("resetGuesses", "/organizations/:organization/guesses/reset", {
      params: ofOrganization,
      payload: Messages.OfNumber,
      success: HttpApiSchema.NoContent,
    }).annotateMerge(
      operation(
        "verifications.resetGuesses",
        "Forget the wrong codes for a phone number",
        "Its checks are allowed again.",
      ),
    ),
  )
  .middleware(OrganizationAccess)
  .annotateMerge(group("Verifications", "One-time codes."))

export const fraud = groupOf("fraud", Fraud.fraud)
  .middleware(OrganizationAccess)
  .annotateMerge(group("Fraud", "Suspicious prefixes of phone numbers."))

export const events = HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("read", "/organizations/:organization/events", {
      params: ofOrganization,
      query: { after: sequence, limit },
      success: Events.EventPage,
    }).annotateMerge(operation("events.read", "Read events", "In order, after a sequence.")),
    HttpApiEndpoint.get("stream", "/organizations/:organization/events/stream", {
      params: ofOrganization,
      query: { after: sequence },
      headers: { "last-event-id": sequence },
      success: HttpApiSchema.StreamSse({ data: Events.LoggedEvent }),
    }).annotateMerge(
      operation(
        "events.stream",
        "Follow events",
        "Server-sent events, whose id is the sequence. Begins after `after`, or after the header `Last-Event-ID`; without both after the newest event.",
      ),
    ),
  )
  .middleware(OrganizationAccess)
  .annotateMerge(group("Events", "The event log."))

export const records = groupOf("records", { totals: totals.read, audit: audit.list, ...refusals })
  .middleware(OrganizationAccess)
  .annotateMerge(group("Records", "Totals, the audit and refused calls."))

export const privacy = HttpApiGroup.make("privacy")
  .add(
    HttpApiEndpoint.post("erase", "/organizations/:organization/erase", {
      params: ofOrganization,
      payload: Messages.OfNumber,
      success: Messages.ErasedNumber,
    }).annotateMerge(operation("privacy.erase", "Erase a phone number")),
    HttpApiEndpoint.get("export", "/organizations/:organization/export", {
      params: ofOrganization,
      query: { phoneNumber: String.annotate({ description: "In E.164 form." }) },
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
    }).annotateMerge(
      operation("privacy.export", "Export what is stored of a phone number", "JSON lines."),
    ),
  )
  .middleware(OrganizationAccess)
  .annotateMerge(group("Privacy", "The data of a phone number."))
