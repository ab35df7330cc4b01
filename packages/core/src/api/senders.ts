/** The operations on the senders of messages. */
import * as Schema from "effect/Schema"
import type * as Domain from "../domain/messages/Sender.ts"
import { SenderId } from "../domain/values/Ids.ts"
import * as Fields from "./Fields.ts"
import { get, operation, post, put } from "./Operation.ts"

const { field, optional, optionalText, record, text } = Fields

const { Boolean, String } = Schema

const kind = Schema.Literals(["masking", "non-masking", "whatsapp"])

const status = Schema.Literals(["pending", "approved", "rejected"])

const described = {
  kind: "`masking`: a name. `non-masking`: a phone number. `whatsapp`: a business profile.",
  value: "The name, the number, or the profile's id.",
  newValue: "The name, the number, or the profile's id; 1 to 64 characters.",
  status: "Only `approved` senders send.",
  isDefault: "Replaces the current default.",
  class: "The only class of messages that it sends, such as `promotional`; `null`: all.",
  reason: "Why it was rejected, at most 200 printable characters.",
}

const senderClass = Schema.NullOr(Fields.messageClass)

const shown = {
  status: field(
    Schema.Literals(["pending", "approved", "rejected", "withdrawn"]),
    "`withdrawn`: no longer used.",
  ),
  isDefault: field(Boolean, "Whether requests that name no sender use this one."),
}

const further = {
  class: field(senderClass, described.class),
  reason: field(
    Fields.textOrNull,
    "Why it was rejected; `null` in other states, and without a reason.",
  ),
}

const reason = optional(Fields.textOrNull, described.reason, "`null`")

const sender = Fields.view(
  record("Sender", "A sender of messages.", {
    id: String,
    kind: field(kind, described.kind),
    value: text(described.value),
    ...shown,
    ...further,
  }),
  ({ sender: value, ...rest }: Domain.Sender) => ({ ...rest, value }),
)

const path = "/organizations/:organization/brands"

const withdraw = operation({
  summary: "End the use of a sender",
  meaning:
    "On every node from the next request on. It stays in the list. A withdrawn default is the default no longer.",
  input: Fields.input("SenderRef", "Selects a sender.", {
    id: field(Fields.id(SenderId), "The id of the sender."),
  }),
  output: Schema.Void,
  errors: ["sender_not_found"],
  admin: post("brands.withdraw", "admin", `${path}/:id/withdraw`),
})

const listing = {
  summary: "List senders",
  meaning: "The oldest first. Withdrawn ones are included.",
  input: Fields.listPage,
} as const

export const senders = {
  create: operation({
    summary: "Add a sender",
    meaning: "",
    input: Fields.input("CreateSender", "A sender to add.", {
      kind: field(kind, described.kind),
      value: text(described.newValue),
      status: optional(status, described.status, "`approved`"),
      isDefault: optional(Boolean, described.isDefault),
      class: optional(senderClass, described.class, "`null`"),
      reason,
    }),
    output: sender,
    errors: ["invalid_request"],
  }),
  update: operation({
    summary: "Change or approve a sender",
    meaning: "Fields that are not given stay. With a `status`, a withdrawn sender is used again.",
    input: Fields.input("UpdateSender", "A sender to change.", {
      id: field(Fields.id(SenderId), "The id of the sender."),
      kind: optional(kind, described.kind),
      value: optionalText(described.newValue),
      status: optional(status, described.status),
      isDefault: optional(Boolean, described.isDefault),
      class: optional(senderClass, described.class),
      reason: optional(Fields.textOrNull, described.reason),
    }),
    output: sender,
    errors: ["sender_not_found", "invalid_request"],
  }),
  withdraw,
  list: operation({
    ...listing,
    output: Schema.Array(sender),
    listing: { from: "after", by: "id" },
  }),
}

/** As events show a sender. */
export const changedBrand = record("Sender", "A sender of messages.", {
  id: String,
  kind: field(kind, described.kind),
  sender: text(described.value),
  ...shown,
})

const brand = record("Sender", "A sender of messages.", {
  ...changedBrand.fields,
  ...further,
})

const settings = {
  kind,
  sender: text(described.newValue),
  status: optional(
    status.annotate({ description: "A sender that a tenant saves is pending." }),
    described.status,
    "`approved`",
  ),
  isDefault: optional(Boolean, described.isDefault),
  class: optional(senderClass, described.class, "`null`"),
  reason,
}

const example = { kind: "non-masking", sender: "8809600000001", isDefault: true }

/** The same in the admin API, whose names are older. */
export const brands = {
  save: operation({
    summary: "Change or approve a sender",
    meaning: "Creates the sender if the id is new.",
    input: Fields.input("SaveSender", "A sender to save.", {
      id: optionalText("Replaces the sender with this id.", "creates a new sender"),
      ...settings,
    }),
    output: brand,
    errors: ["invalid_request"],
    admin: put("brands.replace", "admin", `${path}/:id`, {
      note: "A sender that a tenant changes is pending again. Only operators set `status`.",
      example: { ...example, status: "approved" },
    }),
  }),
  list: operation({
    ...listing,
    output: Schema.Array(brand).annotate({ description: "A page of senders, the oldest first." }),
    admin: get("brands.list", "read", path, { page: "brands", pageName: "SenderList" }),
  }),
  withdraw,
  create: operation({
    summary: "Add a sender",
    meaning: "The sender of a tenant is pending at first.",
    input: Fields.input("SaveSender", "A sender to save.", { ...settings }),
    output: brand,
    errors: ["invalid_request"],
    admin: post("brands.create", "admin", path, { example }),
  }),
}
