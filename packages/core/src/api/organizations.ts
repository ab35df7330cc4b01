/** The operations on organizations and their settings. */
import * as Schema from "effect/Schema"
import * as Domain from "../domain/organizations/Organization.ts"
import { alertBounds, alertName } from "./alerts.ts"
import * as Fields from "./Fields.ts"
import { limitName, limits } from "./limits.ts"
import { get, operation, patch, post } from "./Operation.ts"

const { Boolean, Int, NullOr, String } = Schema
const { field, money, optional, optionalText, record, text } = Fields

const list = Schema.Array

const ref = { id: field(Fields.organizationId, "The id of the organization.") }

const hours = record("QuietHours", "Times in which no messages are sent.", {
  from: text("A time of day such as `22:00`, in the zone of the recipient's country; included."),
  to: text("A time of day such as `08:00`, at most 13 hours after `from`; excluded."),
})

const quietHours = NullOr(
  record("QuietHoursByClass", "When no messages of a class are sent.", {
    promotional: optional(hours, "For promotional messages.", "no quiet hours"),
    transactional: optional(hours, "For transactional messages, not for codes.", "no quiet hours"),
  }),
)

const organizationRef = record("OrganizationRef", "Selects an organization.", ref)

const change = record("SettingChange", "The last change of a setting.", {
  setting: text(
    "Such as `quietHours`, `limits.attempts`, `alerts.spend` or `blockedPrefixes.88017`.",
  ),
  changedAt: Fields.time,
  changedBy: text("The actor, as in the audit."),
})

const organization = Fields.view(
  record("Organization", "An organization with its settings.", {
    id: String,
    name: String,
    allowList: field(
      list(String),
      "Addresses and CIDR blocks that may call over HTTP; if empty, every address may.",
    ),
    limits: field(limits, "The organization's own limits; the others are the host's."),
    isSuspended: field(Boolean, "Whether all keys of the organization are refused."),
    balanceLowAt: field(
      NullOr(money),
      "A decimal: the event `balance_low` tells that the balance has fallen below it. `null`: no such event.",
    ),
    alerts: field(
      alertBounds,
      "The organization's own bounds of alerts; the others are the defaults.",
    ),
    quietHours: field(
      quietHours,
      "When messages wait, in the recipient's zone. `null`: they are sent at all times.",
    ),
    zone: field(
      NullOr(String),
      "The zone in which the days of its totals begin, such as `Asia/Dhaka`; `null`: UTC.",
    ),
    blockedPrefixes: field(
      list(String),
      "Numbers with these prefixes get no messages. Of both lists, the longest prefix of a number decides.",
    ),
    allowedPrefixes: field(
      list(String),
      "The fraud rules do not apply to numbers with these prefixes.",
    ),
    prefixReasons: field(
      Schema.Record(String, String),
      "Why a prefix is in one of these lists. Without prefixes that have no reason.",
    ),
    changes: field(
      list(change),
      "The last change of each setting. Without settings that were not changed since the organization was created.",
    ),
    hasDefaultSender: field(
      Boolean,
      "Whether a channel has an approved default sender. Otherwise requests that name no sender are refused.",
    ),
  }),
  ({ senders, id, name, settings }: Domain.Organization) => ({
    id,
    name,
    ...settings,
    changes: Object.entries(settings.changes).map(([setting, { at, by }]) => ({
      setting,
      changedAt: at,
      changedBy: by,
    })),
    hasDefaultSender: Domain.hasDefaultSender({ senders }),
  }),
)

const summary = record("OrganizationSummary", "An organization in a list.", {
  id: String,
  name: String,
  isSuspended: field(Boolean, "Whether all keys of the organization are refused."),
  balance: field(money, "The available balance, a decimal."),
  held: field(money, "The amount held for messages with an open outcome."),
  hasDefaultSender: field(Boolean, "Whether a channel has an approved default sender."),
  pendingSenders: field(Int, "Number of senders that wait for approval."),
  messagesLastDay: field(
    Int,
    "Number of messages of the last 24 hours, by whole quarters of an hour; 0 without totals.",
  ),
  activeApiKeys: field(Int, "Number of API keys that are neither revoked nor expired."),
})

const settings = {
  allowList: optional(
    list(String),
    "Addresses and CIDR blocks that may call over HTTP; if empty, every address may.",
  ),
  balanceLowAt: optional(
    NullOr(money),
    "A decimal: the balance below which the event `balance_low` is raised. `null`: no such event.",
  ),
  quietHours: optional(
    quietHours,
    "When messages wait, by the clock of the recipient. A country with several zones is quiet while one of them is. `null`: messages are sent at all times.",
  ),
  zone: optional(
    NullOr(String),
    "The zone in which the days of its totals begin, such as `Asia/Dhaka`. `null`: UTC.",
  ),
  blockedPrefixes: optional(
    list(String),
    "At most 200 prefixes of 1 to 15 digits, country code included. Numbers with them get no messages.",
  ),
  allowedPrefixes: optional(
    list(String),
    "As `blockedPrefixes`: the fraud rules do not apply to numbers with them. The longest prefix decides.",
  ),
  prefixReasons: optional(
    Schema.Record(String, String),
    "Why a prefix of these lists is in its list, at most 200 characters. Replaces all reasons. Reasons of other prefixes are dropped.",
  ),
}

const path = "/organizations/:organization"

/** The operations on organizations. */
export const organizations = {
  create: operation({
    summary: "Create an organization",
    meaning: "",
    input: record("CreateOrganization", "A new organization.", {
      id: text("1 to 64 characters of `A-Z a-z 0-9 _ -`."),
      name: optionalText("A name for people.", "the id"),
      senders: optional(
        Schema.Struct({ sms: Schema.optional(String), whatsapp: Schema.optional(String) }).annotate(
          { named: "DefaultSenders" },
        ),
        "The senders for requests that name none: a number for SMS, the id of a profile for WhatsApp; 1 to 64 characters.",
      ),
      ...settings,
      limits: optional(limits, "The organization's own limits.", "the limits of the host"),
      alerts: optional(alertBounds, "The organization's own bounds of alerts.", "the defaults"),
    }),
    output: organization,
    errors: ["organization_exists", "invalid_request"],
    admin: post("organizations.create", "admin", "/organizations", {
      isOperatorOnly: true,
      example: { id: "acme", name: "Acme Ltd.", limits: { spendPerDay: "500" } },
    }),
  }),
  get: operation({
    summary: "Read an organization",
    meaning: "",
    input: organizationRef,
    output: organization,
    admin: get("organization.get", "money", path),
  }),
  list: operation({
    summary: "List organizations",
    meaning: "A page of them, ordered by id or by balance.",
    input: record("ListOrganizations", "Selects a page of organizations.", {
      after: optional(
        Fields.lastOrganizationId,
        "The last id of the page before.",
        "the first page",
      ),
      search: optional(
        Fields.name,
        "A part of the id or of the name, in upper or lower case.",
        "all organizations",
      ),
      hasPendingSenders: optional(
        Boolean,
        "Whether to list only those with senders that wait for approval.",
        "`false`",
      ),
      order: optional(
        Schema.Literals(["id", "balance"]),
        "`balance`: the lowest balance first.",
        "`id`",
      ),
      limit: Fields.limit,
    }),
    output: list(summary).annotate({ description: "A page of organizations, in their order." }),
    listing: { from: "after", by: "id" },
    errors: ["invalid_request", "organization_not_found"],
    admin: get("organizations.list", "money", "/organizations", {
      page: "organizations",
      pageName: "OrganizationList",
      note: "A person with organizations of their own gets these only.",
    }),
  }),
  update: operation({
    summary: "Change settings",
    meaning:
      "Settings that are not given stay. The others apply from the next request on, on every node.",
    input: record("ChangeOrganization", "Changed settings of an organization.", {
      ...ref,
      name: optionalText("A name for people."),
      resetLimits: optional(
        list(limitName),
        "The names of limits that are reset to the limits of the host, before `limits` apply.",
      ),
      resetAlerts: optional(
        list(alertName),
        "The names of alerts whose bounds become the defaults again, before `alerts` apply.",
      ),
      ...settings,
      limits: optional(limits, "Changes these limits of the organization; its others stay."),
      alerts: optional(
        alertBounds,
        "Changes these bounds of alerts; the others stay. `null` switches an alert off.",
      ),
    }),
    output: organization,
    errors: ["invalid_request"],
    admin: patch("organization.update", "admin", path, {
      note: "Only operators may change `limits` and `allowedPrefixes`.",
      extra: {
        admitsOwnAddress: Schema.optional(Boolean).annotate({
          description:
            "Whether to refuse an `allowList` without the address that the request comes from, if it is known.",
        }),
      },
      example: { allowList: ["192.0.2.0/24"], limits: { attempts: 4 } },
    }),
  }),
  suspend: operation({
    summary: "Suspend an organization",
    meaning:
      "Every node refuses all of its keys from the next request on. Calls of the host, settlement, refunds, reports and retention continue. Suspending twice is not an error.",
    input: organizationRef,
    output: organization,
    admin: post("organization.suspend", "admin", `${path}/suspend`, { isOperatorOnly: true }),
  }),
  resume: operation({
    summary: "End a suspension",
    meaning: "Keys that are not revoked work again from the next request on, on every node.",
    input: organizationRef,
    output: organization,
    admin: post("organization.resume", "admin", `${path}/resume`, { isOperatorOnly: true }),
  }),
  repairTime: operation({
    summary: "Repair the time",
    meaning:
      "Resets an organization's time, its open messages and its log, far in the future because a clock was wrong, to the database's clock. Correct the clock first. Safe to repeat.",
    input: organizationRef,
    output: record("RepairedTime", "A repaired organization.", {
      messages: field(Int, "Number of messages that were rewritten."),
    }),
    admin: post("organization.repairTime", "admin", `${path}/repair-time`, {
      isOperatorOnly: true,
    }),
  }),
}
