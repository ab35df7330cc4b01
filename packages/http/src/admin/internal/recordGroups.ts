/** The endpoints about messages, verifications, events, totals, the audit and phone numbers. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OrganizationAccess } from "../Principal.ts"
import * as Bodies from "../AdminBodies.ts"
import * as Events from "../AdminEvents.ts"
import * as Messages from "../AdminMessages.ts"
import {
  cursor,
  endTime,
  limit,
  sequence,
  ofOrganization,
  parameter,
  period,
  startTime,
  withId,
  withRequest,
} from "./fields.ts"
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

export const fraud = HttpApiGroup.make("fraud")
  .add(
    HttpApiEndpoint.get("findings", "/organizations/:organization/fraud/findings", {
      params: ofOrganization,
      query: { limit },
      success: Messages.FraudFindings,
    }).annotateMerge(operation("fraud.findings", "List findings", "Newest first.")),
    HttpApiEndpoint.post("trial", "/organizations/:organization/fraud/trial", {
      params: ofOrganization,
      payload: Messages.TryFraudRules,
      success: Messages.FraudTrial,
    }).annotateMerge(operation("fraud.trial", "Try rules on past requests", "Changes nothing.")),
  )
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

export const records = HttpApiGroup.make("records")
  .add(
    HttpApiEndpoint.get("totals", "/organizations/:organization/totals", {
      params: ofOrganization,
      query: {
        ...period,
        every: parameter(Schema.Literals(["hour", "day"]), "The length of a slot, in UTC."),
        by: parameter(
          Array(Schema.Literals(["channel", "gateway", "country", "outcome"])),
          "What divides a slot. The other dimensions are added up.",
        ),
        kinds: parameter(Array(Bodies.Total.fields.kind), "Any of these."),
      },
      success: Bodies.Totals,
    }).annotateMerge(operation("records.totals", "Read totals", "At most 1,000 slots.")),
    HttpApiEndpoint.get("audit", "/organizations/:organization/audit", {
      params: ofOrganization,
      query: {
        before: sequence,
        limit,
        actor: parameter(String, "A part of the actor's id, in upper or lower case."),
        action: parameter(String, "A part of the action, such as `webhook.` or `created`."),
        target: parameter(String, "A part of the id of the changed thing."),
        from: Schema.optional(startTime),
        to: Schema.optional(endTime),
      },
      success: Bodies.AuditPage,
    }).annotateMerge(
      operation(
        "records.audit",
        "Read the audit",
        "Newest first. A page with filters examines at most 1,000 entries, so it may have none, although there is a next page.",
      ),
    ),
    HttpApiEndpoint.get("refusals", "/organizations/:organization/refusals", {
      params: ofOrganization,
      query: {
        ...search,
        phoneNumber: parameter(String, "The phone number of the call."),
        codes: parameter(Array(Messages.Refusal.fields.code), "Any of these."),
      },
      success: Messages.RefusalPage,
    }).annotateMerge(
      operation(
        "records.refusals",
        "List refused calls",
        "Newest first. An organization keeps the newest 1,000; the totals of the kind `refusals` count all of them.",
      ),
    ),
  )
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
