/** The operations on what gateways do: over all organizations, and on all nodes. */
import * as Schema from "effect/Schema"
import { gatewayStates } from "../domain/messages/GatewayHealth.ts"
import { messageStatuses } from "../domain/messages/MessageStatus.ts"
import { failureReasons } from "../domain/values/FailureReason.ts"
import * as Fields from "./Fields.ts"
import { messages } from "./messages.ts"
import { get, operation, post } from "./Operation.ts"

const { Array, Boolean, Int, Literals, NullOr, Record, String, Struct } = Schema
const { field, money, optional, optionalText, record, text, textOrNull, time, timeOrNull } = Fields

const status = Literals(messageStatuses)

/** Sums of messages and answers, of a slot or of the period. */
const sums = {
  statuses: field(
    Record(String, Int),
    "Number of messages by their status, without those that are still being sent. A message counts in the slot in which it was made.",
  ),
  amount: field(money, "The charges of these messages."),
  refunded: field(money, "The part of `amount` that was given back."),
  answers: field(Int, "Number of calls of the gateway, which answered or were given up."),
  p50: field(
    NullOr(Int),
    "The time in milliseconds that half of the calls did not exceed; `null` without calls. Interpolated between bounds.",
  ),
  p95: field(NullOr(Int), "The same for 95 of 100 calls."),
}

const lastMessage = Struct({ organization: String, sequence: Int, at: time })

const gatewayError = Struct({
  reason: Literals(failureReasons),
  vendorCode: field(textOrNull, "The vendor's code; `null` if the error has no code."),
  meaning: field(
    textOrNull,
    "The meaning of the code, from the vendor's table; `null` if it is not in the table.",
  ),
  count: Int,
  last: field(lastMessage, "The newest message with this error."),
}).annotate({
  named: "GatewayError",
  documentation: "An error of a gateway. The most frequent come first.",
})

const pause = Struct({
  node: String,
  state: Literals(gatewayStates),
  from: time,
  to: field(timeOrNull, "`null`: it goes on."),
  reason: field(textOrNull, "The message of the last failure."),
  moved: field(
    Record(String, Int),
    "Number of messages that other gateways have accepted meanwhile, by the gateway.",
  ),
}).annotate({
  named: "GatewayPause",
  documentation: "A time in which a node sent nothing over a gateway.",
})

const node = Struct({
  node: String,
  isHere: field(Boolean, "Whether it is the node that answers."),
  state: Literals(gatewayStates),
  since: time,
  reason: textOrNull,
  retryAt: field(timeOrNull, "When the node tries the gateway again."),
  seenAt: field(time, "When the node has last confirmed it. Nodes confirm every 30 seconds."),
}).annotate({ named: "GatewayNode", documentation: "The state of a gateway on a node that runs." })

const activity = record(
  "GatewayActivity",
  "The activity of a gateway in a period, over all organizations and nodes.",
  {
    gateway: String,
    ...sums,
    slots: field(
      Array(Struct({ at: field(time, "The start of the slot."), ...sums })),
      "The same for each hour or day with messages or calls, in order.",
    ),
    errors: field(Array(gatewayError), "At most 50."),
    pauses: field(Array(pause), "Newest first, at most 100."),
    nodes: field(Array(node), "The nodes that run."),
  },
)

const period = {
  ...Fields.period,
  every: optional(
    Literals(["hour", "day"]),
    "The length of a slot, in UTC; at most 1,000 of them.",
    "`day`",
  ),
}

/** The operations on the activity of gateways. */
export const gatewayActivity = {
  activity: operation({
    summary: "Read what the gateways did",
    meaning: "Of all organizations, in the order of the configuration.",
    input: record("ReadGatewayActivity", "A period.", {
      ...period,
      gateway: optionalText("The only gateway that is wanted.", "all"),
    }),
    output: Array(activity).annotate({
      description: "The gateways, in the order of the configuration.",
    }),
    errors: ["invalid_request"],
    admin: get("host.gatewayActivity", "read", "/gateways/activity", {
      isOperatorOnly: true,
      list: "gateways",
      pageName: "GatewayActivityList",
    }),
  }),
}

/** The operation that tests a gateway, with a message of an organization. */
export const gatewayTests = {
  testGateway: operation({
    summary: "Send a test message over one gateway",
    meaning:
      "It is a message of the organization: it is charged, and it is in the log. It also goes to a gateway that is paused, or to which no route leads.",
    input: Fields.input("TestGateway", "A test message.", {
      gateway: text("The name of the gateway."),
      ...messages.send.input.fields,
    }),
    output: record("TestedGateway", "A message that the gateway accepted.", {
      sequence: field(Int, "The position in the log."),
      status,
      gatewayId: messages.send.output.fields.gatewayId,
    }),
    errors: messages.send.errors,
    admin: post(
      "messages.testGateway",
      "admin",
      "/organizations/:organization/gateways/:gateway/test",
      {
        isOperatorOnly: true,
        omits: ["idempotencyKey"],
        audit: { action: "gateway.tested", target: "gateway" },
        example: { phoneNumber: "+8801712345678", text: "Test" },
      },
    ),
  }),
}
