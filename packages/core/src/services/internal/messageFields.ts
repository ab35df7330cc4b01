/** The rules of the fields of a message, and its answer. */
import * as Result from "effect/Result"
import type { FieldProblems } from "../../api/internal/fieldProblems.ts"
import type * as Api from "../../api/messages.ts"
import type { Parsed } from "../../api/Caller.ts"
import type { OfQuietHours } from "../../decide/shared/Results.ts"
import type { MessageClass } from "../../domain/values/MessageClass.ts"
import type * as Sending from "../../delivery/internal/sending.ts"
import type * as Answers from "../../engine/StoredAnswer.ts"
import { fromUnits } from "../../domain/values/Money.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import { type Channel, channels } from "../../domain/values/Channel.ts"
import * as Message from "../../domain/messages/Message.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"
import * as Checks from "../../domain/values/internal/checks.ts"

export interface MessageDelivery extends Sending.Delivery {
  readonly text: string
  readonly class: MessageClass
  readonly quiet?: OfQuietHours["quiet"]
}

export const channelOf = (
  problems: FieldProblems,
  parsed: Parsed<Api.SendMessage>["channel"],
): Channel => {
  const channel = problems.value("channel", parsed) ?? "sms"
  if (!channels.includes(channel)) problems.add("channel", FieldProblem.make("unknown_channel", {}))
  return channel
}

export const textOf = (
  problems: FieldProblems,
  parsed: Parsed<Api.SendMessage>["text"],
  limits: Limits,
): string | undefined =>
  problems.parse("text", parsed, (text) => {
    const problem = Checks.textProblem(text, limits.messageLength)
    return problem === undefined ? Result.succeed(text) : Result.fail(problem)
  })

export const sentMessage = (
  { balance, channel, gatewayId, status }: Answers.MessageSent,
  message: Pick<Message.Message, "charge" | "id" | "phoneNumber" | "sequence">,
): Api.SentMessage => ({
  id: Message.logId(message),
  sequence: message.sequence,
  logStatus: status,
  price: message.charge,
  gatewayId,
  phoneNumber: message.phoneNumber,
  channel,
  status: "delivered",
  balance: fromUnits(balance),
})
