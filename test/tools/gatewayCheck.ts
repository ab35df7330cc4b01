/**
 * `pnpm gateway:check VENDOR --to NUMBER --yes`: sends one real message with the credentials in the
 * environment, and shows what the vendor makes of it. Costs what a message costs.
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import { Gateway, type GatewayMessage } from "@countersign/core/ports/Gateway"
import { MessageId, OrganizationId, randomBytes, sortable } from "@countersign/core/domain/Ids"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Redaction from "@countersign/core/domain/Redaction"
import * as AlphaSms from "@countersign/gateways/AlphaSms"
import * as Banglalink from "@countersign/gateways/Banglalink"
import * as BulkSmsBd from "@countersign/gateways/BulkSmsBd"
import * as Grameenphone from "@countersign/gateways/Grameenphone"
import * as HttpGateway from "@countersign/gateways/HttpGateway"
import * as Kannel from "@countersign/gateways/Kannel"
import * as MimSms from "@countersign/gateways/MimSms"
import * as Robi from "@countersign/gateways/Robi"
import * as Smpp from "@countersign/gateways/Smpp"
import * as SmsGate from "@countersign/gateways/SmsGate"
import * as SslWireless from "@countersign/gateways/SslWireless"
import * as Twilio from "@countersign/gateways/Twilio"
import * as Vonage from "@countersign/gateways/Vonage"
import * as WhatsAppCloud from "@countersign/gateways/WhatsAppCloud"
import { layerCrypto } from "@countersign/node/Node"
import * as Clock from "effect/Clock"
import type * as Config from "effect/Config"
import type * as Digest from "effect/crypto/Digest"
import type * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { parseArgs } from "node:util"

type Platform = HttpClient.HttpClient | Mac.Mac | Digest.Digest | SecureRandom.SecureRandom

type Vendor = Layer.Layer<Gateway, Config.ConfigError | HttpGateway.InvalidDescription, Platform>

/** By the names that their documents have, with the variables that those name. */
export const vendors: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ["alpha-sms", AlphaSms.layerConfig()],
  ["banglalink", Banglalink.layerConfig()],
  ["bulksmsbd", BulkSmsBd.layerConfig()],
  ["grameenphone", Grameenphone.layerConfig()],
  ["http", HttpGateway.layerConfig()],
  ["kannel", Kannel.layerConfig()],
  ["mimsms", MimSms.layerConfig()],
  ["robi", Robi.layerConfig()],
  ["smpp", Smpp.layerConfig()],
  ["smsgate", SmsGate.layerConfig()],
  ["ssl-wireless", SslWireless.layerConfig()],
  ["twilio", Twilio.layerConfig()],
  ["vonage", Vonage.layerConfig()],
  ["whatsapp-cloud", WhatsAppCloud.layerConfig()],
])

/** What is to be sent, and for how long reports are waited for. */
export interface Plan {
  readonly vendor: Vendor
  readonly to: PhoneNumber.PhoneNumber
  readonly sender: string
  readonly channel: GatewayMessage["channel"]
  readonly seconds: number
}

const usage = [
  "pnpm gateway:check VENDOR --to +8801712345678 --yes",
  "  [--sender NAME] [--channel sms|whatsapp] [--seconds 60]",
  `VENDOR: ${[...vendors.keys()].join(", ")}`,
  "The credentials are read from the environment: see docs/gateways. Sends one real message.",
].join("\n")

/** Longest that reports are waited for. */
const maxSeconds = 3_600

const read = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        to: { type: "string", default: "" },
        sender: { type: "string", default: "" },
        channel: { type: "string", default: "sms" },
        seconds: { type: "string", default: "60" },
        yes: { type: "boolean", default: false },
      },
    })
  } catch {
    return undefined
  }
}

/** The plan, or the message for the user. */
export const planOf = (args: ReadonlyArray<string>): Plan | string => {
  const parsed = read(args)
  const [name = "", ...others] = parsed?.positionals ?? []
  const vendor = vendors.get(name)
  if (parsed === undefined || vendor === undefined || others.length > 0) return usage
  const { channel, sender, to, yes } = parsed.values
  const number = PhoneNumber.parse(to, "required")
  if (Result.isFailure(number)) return `--to ${number.failure.message}`
  if (channel !== "sms" && channel !== "whatsapp") return "--channel is sms or whatsapp"
  const seconds = Number(parsed.values.seconds)
  if (!(seconds >= 0 && seconds <= maxSeconds)) return `--seconds is from 0 to ${maxSeconds}`
  return yes
    ? { vendor, to: number.success, sender, channel, seconds }
    : "This sends one real message, and may cost money. Say --yes to do it."
}

const code = "123456"

/** A message as the engine makes them, that belongs to no organization. */
const messageTo = ({ channel, sender, to }: Plan) =>
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    const token = sortable(
      "msg",
      yield* Clock.currentTimeMillis,
      yield* random.randomBytes(randomBytes),
    )
    const message: GatewayMessage = {
      token: MessageId(token),
      ref: { organization: OrganizationId("gateway-check"), sequence: 1 },
      purpose: "verification",
      channel,
      phoneNumber: to,
      sender,
      text: Redacted.make(`${code} is the code of a test message. Do not share it with anyone.`),
      code: Redacted.make(code),
      locale: "en-us",
    }
    return message
  })

const reportLine = ({ detail, status }: DeliveryReport, message: GatewayMessage): string =>
  `report: ${status}${detail === null ? "" : ` (${Redaction.words(detail, message)})`}`

/** Sends, and prints what comes of it. */
export const check = (
  plan: Plan,
  print: (line: string) => void,
): Effect.Effect<void, Config.ConfigError | HttpGateway.InvalidDescription, Platform> =>
  Effect.gen(function* () {
    const { capabilities, name, reports, send } = yield* Gateway
    const message = yield* messageTo(plan)
    let count = 0
    yield* Effect.forkScoped(
      Stream.runForEach(reports, (report) =>
        Effect.sync(() => {
          count += 1
          print(reportLine(report, message))
        }),
      ),
    )
    const outcome = yield* send(message).pipe(
      Effect.timeoutOrElse({
        duration: Duration.millis(capabilities.timeoutMillis),
        orElse: () => Effect.succeed({ _tag: "Unknown", message: "No answer in time" } as const),
      }),
    )
    print(
      `${name}, to ${PhoneNumber.mask(plan.to)}: ${JSON.stringify(Redaction.outcome(outcome, message))}`,
    )
    if (outcome._tag !== "Accepted") return
    if (capabilities.reports !== "polled" && name !== "smpp") {
      print("Its reports are sent to the host's own server, if at all: none can be shown here.")
      return
    }
    yield* Effect.sleep(Duration.seconds(plan.seconds))
    print(`${count} report(s) within ${plan.seconds} seconds`)
  }).pipe(Effect.provide(plan.vendor), Effect.scoped)

const main = async (): Promise<number> => {
  const plan = planOf(process.argv.slice(2))
  if (typeof plan === "string") {
    console.error(plan)
    return 2
  }
  const platform = Layer.merge(FetchHttpClient.layer, layerCrypto)
  return Effect.runPromise(
    check(plan, console.log).pipe(
      Effect.as(0),
      Effect.catch((error) =>
        Effect.sync(() => {
          console.error(error.message)
          return 2
        }),
      ),
      Effect.provide(platform),
    ),
  )
}

if (import.meta.main) process.exitCode = await main()
