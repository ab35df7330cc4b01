/** The operations on the audit of an organization. */
import * as Schema from "effect/Schema"
import * as Fields from "./Fields.ts"
import { get, operation } from "./Operation.ts"

const { field, optional, optionalText, record, text, textOrNull } = Fields

const { Int, String } = Schema

const values = Schema.NullOr(Schema.Record(String, Schema.Unknown))

const entry = record(
  "AuditRecord",
  "An administrative change, or an action that the host has recorded. It never changes.",
  {
    sequence: field(Int, "The position in the organization's audit, from 1 without gaps."),
    at: Fields.time,
    actor: text("`Actor.id`; `host` for calls without an actor."),
    actorName: field(textOrNull, "`Actor.name`; `null` if it is unknown."),
    origin: field(textOrNull, "`Actor.origin`; `null` if it is unknown."),
    action: text("The action, such as `api_key.created`."),
    target: field(textOrNull, "The id of the changed thing."),
    before: field(
      values,
      "The thing before the change, as JSON; `null` if it did not exist. Times are epoch milliseconds.",
    ),
    after: field(values, "The thing after the change; `null` if it does not exist any more."),
    reason: textOrNull,
  },
)

/** The actor of a change. */
export const actor = record("Actor", "", {
  id: Fields.name,
  name: Schema.optional(String),
  origin: Schema.optional(String),
  reason: Schema.optional(String),
})

export const audit = {
  list: operation({
    listing: { items: "entries", from: "before", by: "sequence" },
    summary: "Read the audit",
    meaning:
      "The entries that all given fields select, newest first. A page with filters examines at most 1,000 entries, so it may have fewer than `limit`, or none, although there is a next page.",
    input: Fields.input("ListAudit", "Selects a part of the audit.", {
      actor: optionalText("A part of the actor's id, in upper or lower case.", "any actor"),
      action: optionalText("A part of the action, such as `webhook.` or `created`.", "any action"),
      target: optionalText("A part of the id of the changed thing.", "any target, also none"),
      ...Fields.times,
      before: optional(Int, "`next` of the page before.", "from the newest on"),
      limit: Fields.limit,
    }),
    output: record("AuditPage", "A part of the audit, newest first.", {
      entries: Schema.Array(entry),
      first: field(Int, "The `sequence` of the oldest entry that retention has kept."),
      last: field(Int, "The `sequence` of the newest entry; 0 before the first."),
      next: Fields.orNull(Int).pipe(
        Schema.annotateEncoded({ description: "`before` of the next page." }),
      ),
    }),
    errors: ["invalid_request"],
    admin: get("records.audit", "read", "/organizations/:organization/audit"),
  }),
  record: operation({
    summary: "Record an action",
    meaning: "One that changes nothing in the engine, such as a login to your dashboard.",
    input: Fields.input("RecordAudit", "An action to record in the audit.", {
      action: text("The action, such as `login`; at most 64 printable characters."),
      target: optionalText(
        "The id of the thing that it concerns; at most 200 printable characters.",
      ),
      reason: optionalText("Why it was done; at most 200 printable characters."),
    }),
    output: Schema.Void,
    errors: ["invalid_request"],
  }),
}
