/**
 * Arbitraries for fast-check: valid and invalid input for the engine, and histories of commands for a store.
 */
import * as CodeText from "@countersign/core/domain/verifications/CodeText"
import type { Command } from "@countersign/core/decide/Command"
import type { GatewayOutcome, ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import * as Evidence from "@countersign/core/domain/messages/Evidence"
import * as Money from "@countersign/core/domain/values/Money"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import type { ReportSource } from "@countersign/core/domain/messages/MessageReport"
import type { Rules } from "@countersign/core/domain/fraud/PrefixStats"
import * as fc from "fast-check"
import { client, lifeCommands, opened, purpose } from "./internal/lifeCommands.ts"
import * as Samples from "./Samples.ts"

/** A mobile number of a Bangladeshi operator. */
export const bangladeshiNumber: fc.Arbitrary<PhoneNumber.PhoneNumber> = fc
  .stringMatching(/^\+8801[3-9]\d{8}$/)
  .map(PhoneNumber.fromE164)

/** A phone number that is valid under its country's numbering plan. */
export const phoneNumber: fc.Arbitrary<PhoneNumber.PhoneNumber> = fc.oneof(
  { weight: 3, arbitrary: bangladeshiNumber },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("+447911123456", "+12025550123", "+919876543210", "+61412345678")
      .map(PhoneNumber.fromE164),
  },
)

/** Texts that are not phone numbers: unknown prefixes, too long, too short, in other scripts, or arbitrary. */
export const notAPhoneNumber: fc.Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^\+8801[02]\d{8}$/),
  fc.stringMatching(/^\+880[1-9]\d{1,4}$/),
  fc.stringMatching(/^\+880\d{12,20}$/),
  fc.stringMatching(/^\+0\d{9,12}$/),
  fc.stringMatching(/^\+[٠-٩]{10,13}$/),
  fc.constantFrom(
    "",
    "+",
    "+8801712345678 ",
    " +8801712345678",
    "+880-1712-345678",
    "+999123456789",
  ),
  fc.string({ maxLength: 20 }).filter((text) => !/^\+?\d+$/.test(text)),
)

/** Amounts from 0 to ten million, in units. Small and uneven amounts are frequent. */
export const money: fc.Arbitrary<Money.Money> = fc
  .oneof(
    fc.nat({ max: 20_000 }),
    fc.nat({ max: 100_000_000_000 }),
    fc.constantFrom(0, 1, 4_999, 5_000, 5_001),
  )
  .map(Money.fromUnits)

/** A positive or negative amount, never 0. */
export const signedMoney: fc.Arbitrary<Money.Money> = fc
  .tuple(money, fc.boolean())
  .map(([amount, isNegative]) => Money.fromUnits(isNegative ? -amount : amount))
  .filter((amount) => amount !== 0)

/** A code of `length` digits, including leading zeros. */
export const code = (length = 6): fc.Arbitrary<string> =>
  fc.nat({ max: 10 ** length - 1 }).map((value) => String(value).padStart(length, "0"))

/** Text that a user could type instead of the code and that does not parse as the code. */
export const wrongCode = (right: string): fc.Arbitrary<string> =>
  fc
    .oneof(
      code(right.length),
      fc.constantFrom(`${right}x`, `x${right}`, `0${right}`, right.slice(1)),
      fc.string({ minLength: 1, maxLength: 32, unit: "binary" }),
    )
    .filter((text) => CodeText.normalize(text) !== right && text.length >= 1 && text.length <= 32)

/** The text of a message: well-formed Unicode in every script, without NUL. */
export const messageText: fc.Arbitrary<string> = fc
  .string({ minLength: 1, maxLength: 200, unit: "grapheme" })
  .filter((text) => text.isWellFormed() && !text.includes("\u0000"))

/** A pause in milliseconds. Values around the window's length are frequent. */
export const pause = (windowMillis = 60_000): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(0, 1, 999, 1_000, 1_001, windowMillis - 1, windowMillis, windowMillis + 1),
    fc.nat({ max: windowMillis * 2 }),
  )

const gatewayId = fc.stringMatching(/^gw-[a-z0-9]{12}$/)

/** The source of a report. */
export const reportSource: fc.Arbitrary<ReportSource> = fc.record({
  gateway: fc.constantFrom(undefined, "simulated", "second"),
  gatewayId: fc.option(gatewayId),
  evidence: fc.dictionary(fc.constantFrom("id", "status", "code"), messageText).map(Evidence.text),
  receivedAt: fc.constantFrom(undefined, Samples.now),
})

/** A gateway's outcome for a dispatch. */
export const gatewayOutcome: fc.Arbitrary<GatewayOutcome> = fc.oneof(
  gatewayId.map((gatewayId): GatewayOutcome => ({ _tag: "Accepted", gatewayId })),
  gatewayId.map((gatewayId): GatewayOutcome => ({ _tag: "Delivered", gatewayId })),
  messageText.map((message): GatewayOutcome => ({
    _tag: "Rejected",
    reason: "recipient",
    message,
  })),
  messageText.map((message): GatewayOutcome => ({ _tag: "NotSent", message })),
  messageText.map((message): GatewayOutcome => ({ _tag: "Unknown", message })),
)

export const reportStatus: fc.Arbitrary<ReportStatus> = fc.constantFrom(
  "accepted",
  "delivered",
  "undelivered",
  "failed",
  "rejected",
)

/** One step of a history: time passes, then a command runs. */
export interface Event {
  readonly afterMillis: number
  readonly command: Command
}

const few = fc.integer({ min: 1, max: 4 })
const number = fc.nat({ max: 1 }).map(Samples.phoneNumber)
const charge = fc.constantFrom(Money.zero, Money.make("0.5"), Money.make("0.5"))

/** Low limits, so that short histories reach them. */
const limits = fc
  .constantFrom(undefined, Money.make("1"), Money.make("2.5"))
  .map((spendPerDay) => ({
    sendsPerNumber: { max: 3, windowMillis: 60_000 },
    sendsPerClient: { max: 2, windowMillis: 20_000 },
    checksPerClient: { max: 3, windowMillis: 20_000 },
    pendingPerNumber: 2,
    messagesPerOrganization: { max: 3, windowMillis: 60_000 },
    spendPerDay,
  }))

const watching: Rules = {
  prefixDigits: 5,
  windowMillis: 60_000,
  maxSent: 3,
  minSent: 2,
  minConversion: 0.5,
  action: "record",
}

const rules = fc.constantFrom<Rules | undefined>(
  undefined,
  watching,
  { ...watching, action: "deny" },
  { ...watching, maxSent: undefined, action: "deny" },
)

const check = fc
  .record({
    index: fc.integer({ min: 1, max: 3 }),
    text: fc.constantFrom("right", "wrong", "wrong", "wrong"),
    rules,
    purpose,
    client,
    limits,
    isUsed: fc.constantFrom(false, false, true),
  })
  .map(({ index, isUsed, text, ...rest }): Command =>
    (isUsed ? Samples.verifyCode : Samples.checkCode)({
      ...rest,
      requestId: Samples.requestId(index),
      candidates: [Samples.codeOf(text)],
    }),
  )

/** Looks a message up or closes it, which takes effect at its deadline. */
export const expiry: fc.Arbitrary<Command> = fc.oneof(
  fc
    .record({
      messageSequence: few,
      gateways: fc.constantFrom([], ["simulated"]),
      lookupMillis: fc.constantFrom(1, 20_000),
    })
    .map(Samples.beginLookup),
  fc.record({ messageSequence: few, isLookedUp: fc.boolean() }).map(Samples.closeMessage),
)

/** Few ids and amounts, so that some payments repeat or contradict others. */
const payment: fc.Arbitrary<Command> = fc
  .record({
    kind: fc.constantFrom("top-up", "adjustment"),
    amount: fc.constantFrom(5_000, 10_000).map(Money.fromUnits),
    paymentId: fc.constantFrom("p1", "p2", "p3"),
  })
  .map(Samples.topUp)

/** Any command for `Samples.organizationId`, for existing and for missing rows. */
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ phoneNumber: number, client, limits }).map(Samples.admitVerification),
  fc
    .record({
      phoneNumber: number,
      client,
      index: few,
      charge,
      expirySeconds: fc.constantFrom(60, 300),
      limits,
      rules,
      opened,
    })
    .map(({ charge, index, opened, ...rest }): Command =>
      Samples.requestVerification({
        ...rest,
        ...opened,
        requestId: Samples.requestId(index),
        draft: { id: Samples.messageId(index), charge },
      }),
    ),
  fc
    .record({
      index: fc.integer({ min: 1, max: 3 }),
      messageSequence: few,
      draft: few,
      channel: fc.constantFrom("sms", "whatsapp"),
      charge,
      limits,
      rules,
    })
    .map(({ channel, charge, draft, index, ...rest }): Command =>
      Samples.followVerification({
        ...rest,
        requestId: Samples.requestId(index),
        draft: { id: Samples.messageId(200 + draft), channel, charge },
      }),
    ),
  ...lifeCommands({ charge, limits, rules }),
  check,
  check,
  check,
  fc.constant<Command>(
    Samples.admitMessage({ limits: { messagesPerOrganization: { max: 2, windowMillis: 60_000 } } }),
  ),
  fc
    .record({ phoneNumber: number, charge, text: messageText, index: few, limits })
    .map(({ charge, index, limits, phoneNumber, text }): Command =>
      Samples.holdMessage({
        phoneNumber,
        limits,
        draft: { id: Samples.messageId(100 + index), charge, text },
      }),
    ),
  fc
    .record({
      messageSequence: few,
      dispatchNumber: fc.constantFrom(1, 1, 2),
      outcome: gatewayOutcome,
      hasReports: fc.boolean(),
      rules,
      requestId: fc.constantFrom(null, Samples.requestId(1), Samples.requestId(2)),
      followMillis: fc.constantFrom(undefined, 30_000),
    })
    .map((settled): Command => Samples.recordDispatch(settled)),
  fc
    .record({
      messageSequence: few,
      status: reportStatus,
      detail: fc.option(messageText),
      source: fc.option(reportSource, { nil: undefined }),
    })
    .map((report): Command => Samples.applyReport(report)),
  few.map((message): Command => Samples.reclaimMessage({ messageSequence: message })),
  expiry,
  money.filter((amount) => amount > 0).map((amount): Command => Samples.topUp({ amount })),
  signedMoney.map((amount): Command => Samples.adjust({ amount })),
  payment,
)

/** Mostly short pauses; sometimes the deadline after which messages are closed. */
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ afterMillis: fc.constantFrom(0, 0, 0, 1, 1_000, 20_000), command }),
  },
  { weight: 4, arbitrary: fc.record({ afterMillis: pause(), command }) },
  { weight: 1, arbitrary: fc.record({ afterMillis: fc.constant(300_000), command }) },
  {
    weight: 2,
    arbitrary: fc.record({
      afterMillis: fc.constant(86_400_000),
      command: expiry,
    }),
  },
)

/**
 * A history of events in one organization. Requests and messages are numbered in order, because an engine
 * gives each its own id.
 */
export const history = (maxLength = 40): fc.Arbitrary<ReadonlyArray<Event>> =>
  fc.array(event, { maxLength, size: "max" }).map((events) => {
    let requests = 0
    let messages = 0
    return events.map(({ afterMillis, command }): Event => {
      if (!("draft" in command)) return { afterMillis, command }
      messages += 1
      const draft = { ...command.draft, id: Samples.messageId(messages) }
      if (command._tag !== "RequestVerification") {
        return { afterMillis, command: { ...command, draft } }
      }
      requests += 1
      return { afterMillis, command: { ...command, requestId: Samples.requestId(requests), draft } }
    })
  })
