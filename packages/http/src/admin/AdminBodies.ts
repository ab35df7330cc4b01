/**
 * The bodies of the admin API. The types are those of the promise API; on the wire, times are ISO 8601 and amounts
 * are decimals.
 */
import { types as eventTypes } from "@countersign/core/domain/events/EventTable"
import * as Schema from "effect/Schema"
import * as Fields from "./internal/fields.ts"

const { duration, textOrNull, time, timeOrNull } = Fields

const body = Fields.body

const { Boolean, Int, NullOr, String, Struct, optional } = Schema

const list = Schema.Array

/** A problem with a field, as the promise API has it. */
export const FieldFailure = body("FieldFailure", {
  code: String.annotate({ description: "What is wrong, for programs." }),
  params: Schema.Record(String, Schema.Unknown).annotate({
    description: "The parameters of the code.",
  }),
  message: String.annotate({ description: "What is wrong, for people, without the field." }),
})

/** An error. */
export const Failure = body("Failure", {
  error: String.annotate({ description: "What is wrong, for people." }),
  code: String.annotate({ description: "The error code, for programs." }),
  params: Schema.optionalKey(Schema.Record(String, Schema.Unknown)).annotate({
    description: "The values of the sentence, for translations.",
  }),
  details: Schema.optionalKey(Schema.Record(String, list(String))).annotate({
    description: "The sentences about each invalid field, by its name.",
  }),
  problems: Schema.optionalKey(Schema.Record(String, list(FieldFailure))).annotate({
    description: "The same with codes, for translations.",
  }),
  retryAfterSeconds: Schema.optionalKey(Int).annotate({
    description: "Seconds to wait before the next try.",
  }),
})

const eventType = Schema.Literals(eventTypes)

const webhookSettings = {
  description: optional(textOrNull),
  types: optional(NullOr(list(eventType))),
  isEnabled: optional(Boolean),
}

export const Webhook = body("Webhook", {
  id: String,
  url: String,
  description: textOrNull,
  types: NullOr(list(eventType)),
  isEnabled: Boolean,
  createdAt: time,
  status: Schema.Literals(["active", "failing", "gone"]),
  position: Int,
  retrying: Int,
  retries: list(Struct({ sequence: Int, attempts: Int, nextAt: time })),
  retryAt: timeOrNull,
  troubledSince: timeOrNull,
  slowUntil: timeOrNull,
  lastError: textOrNull,
  attempts: list(
    Struct({
      sequence: Int,
      at: time,
      millis: Int,
      status: NullOr(Int),
      error: textOrNull,
      answer: textOrNull,
    }),
  ),
  oldSecretUntil: timeOrNull,
})

export const WebhookList = body("WebhookList", { webhooks: list(Webhook) })

export const CreateWebhook = body("CreateWebhook", {
  url: String,
  after: optional(Int),
  ...webhookSettings,
})

/** A new webhook with its secret, which is not shown again. */
export const CreatedWebhook = body("CreatedWebhook", { ...Webhook.fields, secret: String })

export const UpdateWebhook = body("UpdateWebhook", { url: optional(String), ...webhookSettings })

export const RotateWebhookSecret = body("RotateWebhookSecret", { grace: optional(duration) })

export const WebhookSecret = body("WebhookSecret", { secret: String })

export const ReplayWebhook = body("ReplayWebhook", { after: optional(Int) })

export const ReplayedWebhook = body("ReplayedWebhook", { after: Int })

export const TestedWebhook = body("TestedWebhook", { isDelivered: Boolean, error: textOrNull })
