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
  error: field(textOrNull, "What was wrong; `null` if the receiver has taken the event."),
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
      "What was wrong with the last failed delivery, such as `HTTP 500`; `null` if the last ones succeeded.",
    ),
    attempts: field(Schema.Array(attempt), "The newest attempts, newest first. At most 20."),
    oldSecretUntil: field(
      timeOrNull,
      "Until when the secret before the current one signs as well; `null` if it does not.",
    ),
  },
)

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
    output: record("TestedWebhook", "What came of a test request.", {
      isDelivered: Boolean,
      error: textOrNull,
    }),
    errors: ["webhook_not_found"],
    admin: post("webhooks.test", "admin", `${path}/:id/test`, {
      audit: { action: "webhook.tested", target: "id" },
    }),
  }),
}
