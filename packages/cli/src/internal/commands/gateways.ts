import * as Durations from "@countersign/core/domain/values/Duration"
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import * as Ids from "@countersign/core/domain/values/Ids"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Redaction from "@countersign/core/domain/messages/Redaction"
import { Gateway, type GatewayMessage } from "@countersign/core/ports/Gateway"
import { layerCrypto } from "@countersign/node/Node"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { bareCommand, confirm, group } from "../command.ts"
import { CommandFailed, UsageError } from "../failures.ts"
import { duration, phoneNumberFlag } from "../flags.ts"
import { jsonOf, printable } from "../printable.ts"
import { Json } from "../settings.ts"
import * as Vendors from "../vendors.ts"

const maxWaitMillis = 3_600_000

const code = "123456"

interface Plan extends Pick<GatewayMessage, "channel" | "sender"> {
  readonly to: PhoneNumber.PhoneNumber
  readonly waitMillis: number
}

/** A message as the engine makes them, which belongs to no organization. */
const messageTo = Effect.fnUntraced(function* ({ channel, sender, to }: Plan) {
  const random = yield* SecureRandom.SecureRandom
  const now = yield* Clock.currentTimeMillis
  const token = Ids.sortable("msg", now, yield* random.randomBytes(Ids.randomBytes))
  const message: GatewayMessage = {
    token: Ids.MessageId(token),
    ref: { organization: Ids.OrganizationId("gateway-check"), sequence: 1 },
    purpose: "verification",
    class: "transactional",
    channel,
    phoneNumber: to,
    sender,
    text: Redacted.make(`${code} is the code of a test message. Do not share it with anyone.`),
    code: Redacted.make(code),
    locale: "en-us",
  }
  return message
})

const plainReport = ({ detail, status }: DeliveryReport, message: GatewayMessage) => ({
  status,
  detail: detail === null ? null : Redaction.words(detail, message),
})

/** Sends one message and prints what comes of it, as it comes. */
const send = Effect.fnUntraced(function* (plan: Plan) {
  const { capabilities, name, reports, send } = yield* Gateway
  const isJson = yield* Json
  const message = yield* messageTo(plan)
  const received: Array<ReturnType<typeof plainReport>> = []
  const say = (line: string) => (isJson ? Effect.void : Console.log(printable(line)))
  const hear = (report: DeliveryReport) => {
    const { detail, status } = plainReport(report, message)
    received.push({ detail, status })
    return say(`report: ${status}${detail === null ? "" : ` (${detail})`}`)
  }
  yield* Effect.forkScoped(Stream.runForEach(reports, hear))
  const sent = yield* send(message).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(capabilities.timeoutMillis),
      orElse: () => Effect.succeed({ _tag: "Unknown", message: "No answer in time" } as const),
    }),
  )
  const outcome = Redaction.outcome(sent, message)
  yield* say(`${name}, to ${PhoneNumber.mask(plan.to)}: ${jsonOf(outcome)}`)
  const isReported = capabilities.reports === "polled" || name === "smpp"
  if (outcome._tag === "Accepted" && isReported) {
    yield* Effect.sleep(Duration.millis(plan.waitMillis))
    yield* say(`${received.length} report(s) within ${Durations.format(plan.waitMillis)}`)
  } else if (outcome._tag === "Accepted") {
    yield* say("Its reports are sent to the server of the host, if at all. None can be shown here.")
  }
  if (isJson) yield* Console.log(jsonOf({ gateway: name, outcome, reports: received }))
  if (outcome._tag !== "Accepted") {
    return yield* new CommandFailed({ message: `${name} has not accepted the message.` })
  }
}, Effect.scoped)

const check = bareCommand(
  "check",
  "Send one real message, which costs its price, and show the gateway's answer",
  {
    vendor: Argument.Literals("gateway", Vendors.names).pipe(
      Argument.withDescription("The gateway, with its credentials in the environment"),
    ),
    to: phoneNumberFlag("send-to", "Your own phone: +8801712345678, or 01712345678").pipe(
      Flag.withMetavar("NUMBER"),
    ),
    sender: Flag.String("sender").pipe(
      Flag.withDescription("The sender that the gateway has approved"),
      Flag.withDefault(""),
    ),
    channel: Flag.Literals("channel", ["sms", "whatsapp"]).pipe(
      Flag.withDescription("The channel"),
      Flag.withDefault("sms"),
    ),
    waitMillis: duration("wait", { min: 0, max: maxWaitMillis }).pipe(
      Flag.withDescription('How long to wait for reports, at most 1 hour: "60 seconds"'),
      Flag.withDefault(60_000),
    ),
  },
  function* ({ to, vendor, ...plan }) {
    const number = PhoneNumber.parse(to, "required")
    if (Result.isFailure(number)) {
      return yield* new UsageError({ message: `--send-to ${number.failure.message}` })
    }
    const gateway = Vendors.layerOf(vendor)
    const question = `Send one real message over ${vendor} to ${PhoneNumber.mask(number.success)}? It may cost money.`
    yield* confirm(question)
    yield* send({ ...plan, to: number.success }).pipe(Effect.provide([gateway, layerCrypto]))
  },
)

export const gateways = group(
  "gateways",
  [check],
  "Gateways, with their credentials in the environment",
)
