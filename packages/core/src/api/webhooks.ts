/** The operations on the addresses that receive the events of an organization. */
import * as Schema from "effect/Schema"
import { types as eventTypes } from "../domain/events/EventTable.ts"
import { WebhookId } from "../domain/values/Ids.ts"
import * as Fields from "./Fields.ts"
import { get, operation, patch, post, remove } from "./Operation.ts"

const { field, optional, optionalText, record, text, textOrNull, time, timeOrNull } = Fields

const { Boolean, Int, NullOr, String, Struct } = Schema

const eventType = Schema.Literals(eventTypes).annotate({ named: "WebhookEventType" })

const retry = Struct({
  sequence: Int,
  attempts: field(Int, "Number of attempts so far, from 1."),
  nextAt: time,
}).annotate({ named: "WebhookRetry", documentation: "An event that waits for a retry." })

const attempt = Struct({
  sequence: field(Int, "Of the event."),
  at: time,
  millis: field(Int, "Milliseconds until the answer, or until the request was given up."),
  status: field(NullOr(Int), "The status code; `null` if there was no answer."),
  error: field(textOrNull, "The cause of the failure; `null` if the receiver has taken the event."),
  answer: field(
    textOrNull,
    "The beginning of the answer's body, at most 200 characters. Digits that may be a number or a code are removed.",
  ),
}).annotate({
  named: "WebhookAttempt",
  documentation: "A request to the receiver, and its answer.",
})

const webhook = record(
  "Webhook",
  "A webhook without its secrets, and how far its deliveries have come.",
  {
    id: Fields.id(WebhookId),
    url: String,
    description: textOrNull,
    types: field(NullOr(Schema.Array(eventType)), "The events that are sent. `null`: all."),
    isEnabled: Boolean,
    createdAt: time,
    status: field(
      Schema.Literals(["active", "failing", "gone"]),
      "`failing`: an event has failed for three days. `gone`: the receiver has answered 410. Both end the deliveries until a `replay`.",
    ),
    position: field(
      Int,
      "The events up to this `sequence` were delivered, except those that wait for a retry.",
    ),
    retrying: field(Int, "Number of events that wait for a retry."),
    retries: field(Schema.Array(retry), "These events, by `sequence`. At most 100."),
    retryAt: field(timeOrNull, "The time of the next retry; `null` if none waits."),
    troubledSince: field(
      timeOrNull,
      "Since when no delivery has succeeded; `null` after a success.",
    ),
    slowUntil: field(
      timeOrNull,
      "Until when it waits for its turn with other slow receivers, after a slow answer; `null` if it does not.",
    ),
    lastError: field(
      textOrNull,
      "The error of the last failed delivery, such as `HTTP 500`; `null` if the last ones succeeded.",
    ),
    attempts: field(Schema.Array(attempt), "The newest attempts, newest first. At most 20."),
    oldSecretUntil: field(
      timeOrNull,
      "Until when the secret before the current one signs as well; `null` if it does not.",
    ),
  },
)

const keptAttempt = record(
  "KeptAttempt",
  "A request to the receiver, as it is kept for seven days.",
  {
    position: field(Int, "The place among the attempts of the webhook, from 1."),
    sequence: field(Int, "Of the event."),
    type: eventType,
    number: field(
      Int,
      "Which attempt of the event it was, from 1; from 1 again after a success or a replay.",
    ),
    at: time,
    millis: field(Int, "Milliseconds until the answer, or until the request was given up."),
    status: field(NullOr(Int), "The status code; `null` if there was no answer."),
    error: field(
      textOrNull,
      "The cause of the failure; `null` if the receiver has taken the event.",
    ),
    answer: field(
      textOrNull,
      "The beginning of the answer's body, at most 1,000 characters. Digits that may be a number or a code are removed.",
    ),
    nextAt: field(
      timeOrNull,
      "When the event is sent again; `null` if it is not, or if this was not its last attempt.",
    ),
  },
)

const request = Struct({
  url: text("The address, as it is now."),
  headers: field(Schema.Record(String, String), "Without the signature."),
  body: String,
}).annotate({ named: "WebhookRequest" })

const sums = {
  taken: field(Int, "Number of requests that the receiver has taken."),
  failed: field(Int, "Number of requests that it has not."),
  p50: field(
    NullOr(Int),
    "The time in milliseconds that half of the answers did not exceed; `null` without any. Interpolated between bounds.",
  ),
  p95: field(NullOr(Int), "The same for 95 of 100 answers."),
}

const tested = record("TestedWebhook", "The result of a test request.", {
  isDelivered: Boolean,
  error: textOrNull,
})

const settings = {
  description: optional(textOrNull, "For people, at most 200 characters."),
  types: optional(
    NullOr(Schema.Array(eventType)),
    "The types of the events that are sent.",
    "`null`: all events",
  ),
  isEnabled: optional(Boolean, "Whether it receives events.", "`true`"),
}

const ref = {
  organization: Fields.organization,
  id: field(Fields.id(WebhookId), "The id of the webhook."),
}

const webhookRef = record("OfWebhook", "Selects a webhook.", ref)

const path = "/organizations/:organization/webhooks"

/** The operations on webhooks. */
export const webhooks = {
  create: operation({
    summary: "Add a webhook",
    meaning:
      "Only this answer contains the secret. The first delivery is the event of its creation.",
    input: Fields.input("CreateWebhook", "A new webhook.", {
      url: text("An absolute URL with `https`. The options `webhooks` allow more."),
      after: optional(
        Int,
        "The `sequence` of the last event that is not sent.",
        "the newest event",
      ),
      ...settings,
    }),
    output: record("CreatedWebhook", "A new webhook with its secret, which is not shown again.", {
      ...webhook.fields,
      secret: field(Fields.secret, "`whsec_` and base64."),
    }),
    errors: ["invalid_request"],
    admin: post("webhooks.create", "admin", path, {
      example: { url: "https://hooks.example/countersign", types: ["verified"] },
    }),
  }),
  list: operation({
    summary: "List webhooks",
    meaning: "All of them, at most 20, the oldest first.",
    input: Fields.ofOrganization,
    output: Schema.Array(webhook).annotate({ description: "All webhooks, the oldest first." }),
    listing: {},
    admin: get("webhooks.list", "read", path, { list: "webhooks", pageName: "WebhookList" }),
  }),
  update: operation({
    summary: "Change a webhook",
    meaning: "Settings that are not given stay.",
    input: record("UpdateWebhook", "Changed settings of a webhook.", {
      ...ref,
      url: optionalText("As in `create`."),
      ...settings,
    }),
    output: webhook,
    errors: ["webhook_not_found", "invalid_request"],
    admin: patch("webhooks.update", "admin", `${path}/:id`, { example: { isEnabled: false } }),
  }),
  rotateSecret: operation({
    summary: "Make a new secret",
    meaning: "The old one signs as well for a day.",
    input: record("RotateWebhookSecret", "Selects a webhook.", {
      ...ref,
      grace: optional(Fields.duration, "How long both secrets sign, at most 30 days.", '`"1 day"`'),
    }),
    output: record("WebhookSecret", "A secret, which is not shown again.", {
      secret: Fields.secret,
    }),
    errors: ["webhook_not_found", "invalid_request"],
    admin: post("webhooks.rotateSecret", "admin", `${path}/:id/rotate-secret`, {
      example: { grace: "1 day" },
    }),
  }),
  remove: operation({
    summary: "Remove a webhook",
    meaning: "Events that it has not received yet are not sent to it any more.",
    input: webhookRef,
    output: Schema.Void,
    errors: ["webhook_not_found"],
    admin: remove("webhooks.remove", "admin", `${path}/:id`),
  }),
  replay: operation({
    summary: "Send events again",
    meaning:
      "Those after `after`. Also starts deliveries that have ended. Resolves with the place where it starts, which is not before the oldest stored event.",
    input: record("ReplayWebhook", "Selects a webhook.", {
      ...ref,
      after: optional(
        Int,
        "The `sequence` of the last event that is not sent again.",
        "the one before the first that failed",
      ),
    }),
    output: record("ReplayedWebhook", "Where a replay starts.", {
      after: field(Int, "The `sequence` after which it starts."),
    }),
    errors: ["webhook_not_found", "invalid_request"],
    admin: post("webhooks.replay", "admin", `${path}/:id/replay`, { example: { after: 0 } }),
  }),
  sendTest: operation({
    summary: "Send a test request",
    meaning: "It has the type `webhook_test`, which is no event.",
    input: webhookRef,
    output: tested,
    errors: ["webhook_not_found"],
    admin: post("webhooks.test", "admin", `${path}/:id/test`, {
      audit: { action: "webhook.tested", target: "id" },
    }),
  }),
  attempts: operation({
    summary: "List the requests to a webhook",
    meaning: "Newest first. They are kept for seven days.",
    input: record("ListAttempts", "Selects requests. All given fields have to match.", {
      ...ref,
      result: optional(
        Schema.Literals(["taken", "failed"]),
        "Whether the receiver has taken the event.",
        "both",
      ),
      event: optional(Int, "The `sequence` of an event.", "any event"),
      ...Fields.times,
      cursor: Fields.cursor,
      limit: Fields.limit,
    }),
    output: record("AttemptPage", "A page of requests, newest first.", {
      attempts: Schema.Array(keptAttempt),
      next: Fields.next,
    }),
    errors: ["webhook_not_found", "invalid_request"],
    listing: { items: "attempts", from: "cursor" },
    admin: get("webhooks.attempts", "read", `${path}/:id/attempts`),
  }),
  attempt: operation({
    summary: "Read one request to a webhook",
    meaning: "With its headers and body, which are made from the event again.",
    input: record("OfAttempt", "Selects a request.", {
      ...ref,
      position: field(Int, "The `position` of the request."),
    }),
    output: record("AttemptDetails", "A request with its headers and body.", {
      ...keptAttempt.fields,
      request: field(NullOr(request), "`null` if the event is not kept any more."),
    }),
    errors: ["webhook_not_found", "invalid_request"],
    admin: get("webhooks.attempt", "read", `${path}/:id/attempts/:position`),
  }),
  resend: operation({
    summary: "Send one event again",
    meaning: "At once. A success ends its retries. The other deliveries go on.",
    input: record("ResendEvent", "Selects an event.", {
      ...ref,
      sequence: field(Int, "The `sequence` of the event."),
    }),
    output: tested,
    errors: ["webhook_not_found", "invalid_request"],
    admin: post("webhooks.resend", "admin", `${path}/:id/resend`, { example: { sequence: 1 } }),
  }),
  activity: operation({
    summary: "Count the requests to a webhook",
    meaning: "By hour or day, and what waits now.",
    input: record("ReadWebhookActivity", "Selects a period.", {
      ...ref,
      ...Fields.period,
      every: optional(
        Schema.Literals(["hour", "day"]),
        "The length of a slot, in UTC; at most 1,000 of them.",
        "`hour`",
      ),
    }),
    output: record("WebhookActivity", "The activity of a webhook in a period.", {
      ...sums,
      waiting: field(Int, "Number of events that wait now: new ones, and those to be sent again."),
      waitingSince: field(timeOrNull, "The time of the oldest of them; `null` if none waits."),
      slots: field(
        Schema.Array(Struct({ at: field(time, "The start of the slot."), ...sums })),
        "The same for each hour or day with requests, in order.",
      ),
    }),
    errors: ["webhook_not_found", "invalid_request"],
    admin: get("webhooks.activity", "read", `${path}/:id/activity`),
  }),
}
