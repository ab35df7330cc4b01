/**
 * The operations on the senders of messages. The admin API calls them brands.
 */
import * as Schema from "effect/Schema"
import { SenderId } from "../domain/values/Ids.ts"
import * as Fields from "./Fields.ts"
import { operation } from "./Operation.ts"

const { field, optional, record } = Fields

const { Boolean, String } = Schema

const kind = Schema.Literals(["masking", "non-masking", "whatsapp"])

const sender = record(
  "Sender",
  {
    id: String,
    kind: field(
      kind,
      "`masking`: a name. `non-masking`: a phone number. `whatsapp`: a business profile.",
    ),
    sender: field(String, "The name, the number, or the profile's id."),
    status: field(
      Schema.Literals(["pending", "approved", "rejected", "withdrawn"]),
      "`withdrawn`: no longer used.",
    ),
    isDefault: field(Boolean, "Whether requests that name no sender use this one."),
  },
  "A sender of messages.",
)

const status = Schema.Literals(["pending", "approved", "rejected"])

const settings = {
  kind,
  sender: field(String, "The name, the number, or the profile's id; 1 to 64 characters."),
  status: optional(
    status.annotate({ description: "A sender that a tenant saves is pending." }),
    "Only `approved` senders send.",
    "`approved`",
  ),
  isDefault: optional(Boolean, "Replaces the current default."),
}

const path = "/organizations/:organization/brands"

const example = { kind: "non-masking", sender: "8809600000001", isDefault: true }

/** The operations on the senders of messages. */
export const senders = {
  save: operation({
    summary: "Change or approve a sender",
    meaning: "Creates the sender if the id is new.",
    input: record(
      "SaveSender",
      {
        organization: Fields.organization,
        id: optional(String, "Replaces the sender with this id.", "creates a new sender"),
        ...settings,
      },
      "A sender to save.",
    ),
    output: sender,
    errors: ["invalid_request"],
    admin: {
      id: "brands.replace",
      method: "PUT",
      path: `${path}/:id`,
      role: "admin",
      note: "A sender that a tenant changes is pending again. Only operators set `status`.",
      example: { ...example, status: "approved" },
    },
  }),
  list: operation({
    summary: "List senders",
    meaning: "The oldest first. Withdrawn ones are included.",
    input: Fields.listPage,
    output: Schema.Array(sender),
    listing: { from: "after", by: "id" },
    errors: [],
    admin: {
      id: "brands.list",
      method: "GET",
      path,
      role: "read",
      page: "brands",
      pageName: "SenderList",
    },
  }),
  withdraw: operation({
    summary: "End the use of a sender",
    meaning:
      "On every node from the next request on. It stays in the list. A withdrawn default is the default no longer.",
    input: record(
      "SenderRef",
      { organization: Fields.organization, id: Fields.id(SenderId) },
      "Selects a sender.",
    ),
    output: Schema.Void,
    errors: ["sender_not_found"],
    admin: { id: "brands.withdraw", method: "POST", path: `${path}/:id/withdraw`, role: "admin" },
  }),
}

/** The operation of the admin API that takes no id. */
export const newSenders = {
  create: operation({
    summary: "Add a sender",
    meaning: "The sender of a tenant is pending at first.",
    input: record(
      "SaveSender",
      { organization: Fields.organization, ...settings },
      "A sender to save.",
    ),
    output: sender,
    errors: ["invalid_request"],
    admin: { id: "brands.create", method: "POST", path, role: "admin", example },
  }),
}
