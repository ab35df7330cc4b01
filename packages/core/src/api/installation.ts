/** The host as operators see it: its gateways, and the options that apply to every organization. */
import * as Schema from "effect/Schema"
import { outcomes } from "../domain/verifications/TestNumber.ts"
import * as Fields from "./Fields.ts"
import { fraudRules } from "./fraud.ts"
import { limits } from "./limits.ts"
import { get, operation } from "./Operation.ts"

const { Array, Boolean, Finite, Literals, NullOr, String, Struct } = Schema
const { duration, field, record, text, textOrNull } = Fields

const kept = NullOr(duration)

/** The options that apply to every organization, without secrets. */
export const details = {
  currency: text("ISO 4217."),
  channels: field(Array(Fields.channel), "The channels of codes."),
  limits: field(
    limits,
    "The limits of an organization without limits of its own. `null`: no limit.",
  ),
  locales: field(Array(String), "The languages of codes, the default first."),
  retention: field(
    Struct({
      messages: kept,
      verifications: kept,
      recipients: kept,
      findings: kept,
      totals: kept,
      events: kept,
      audit: kept,
      refusals: kept,
    }),
    "How long rows are kept. `null`: forever.",
  ),
  testNumbers: field(
    Array(Struct({ phoneNumber: String, outcome: Literals(outcomes) })),
    "The phone numbers that receive no messages, without their codes.",
  ),
  fraud: field(NullOr(fraudRules), "`null`: fraud detection is off."),
  fallback: field(
    NullOr(Struct({ reportWithin: duration, whatsappFirst: Boolean })),
    "When a code that WhatsApp does not deliver is sent by SMS. `null`: never.",
  ),
}

/** The operations on the host's gateways. */
export const gateways = {
  list: operation({
    summary: "List gateways",
    meaning:
      "In the order of the configuration, with their abilities and rates. Their health is that on this node.",
    input: record("AllGateways", "", {}),
    output: Array(
      record("GatewayState", "A gateway of this process, with its health.", {
        gateway: String,
        state: Literals(["available", "trying", "failing", "barred"]),
        reason: field(textOrNull, "The message of its last failure; `null` while it is available."),
        channels: field(Array(Fields.channel), "The channels of the messages that it may carry."),
        reports: field(
          Literals(["signed", "unsigned", "polled", "none"]),
          "How it reports on accepted messages. `none`: accepted counts as delivered.",
        ),
        honoursToken: field(
          Boolean,
          "Whether it sends one message for a token, however often it is tried.",
        ),
        lookup: field(Boolean, "Whether it can look up the outcome of a message."),
        recipientCheck: field(Boolean, "Whether it can tell if a number is on WhatsApp."),
        timeout: field(duration, "Time limit of an attempt."),
        perSecond: field(
          NullOr(Finite),
          "Maximum number of messages a second, for each process; `null`: unlimited.",
        ),
        recipientPause: field(
          duration,
          "Pause between two messages to one recipient, for each process.",
        ),
      }),
    ).annotate({ description: "All gateways, in the order of the configuration." }),
    admin: get("host.gateways", "read", "/gateways", {
      isOperatorOnly: true,
      list: "gateways",
      pageName: "GatewayList",
    }),
  }),
}
