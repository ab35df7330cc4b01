/** Senders of messages, as recipients see them. */
import * as Result from "effect/Result"
import type { Channel, LogChannel } from "../values/Channel.ts"
import * as FieldProblem from "../values/FieldProblem.ts"
import type { MessageClass } from "../values/MessageClass.ts"
import type { SenderId } from "../values/Ids.ts"
import { normalizeDigits } from "../values/PhoneNumber.ts"

/** `masking`: a name instead of a number. `non-masking`: a number. `whatsapp`: a business profile. */
export type Kind = "masking" | "non-masking" | "whatsapp"

/** Only `approved` senders send. `withdrawn`: no longer used, and kept because the log refers to it. */
export type Status = "pending" | "approved" | "rejected" | "withdrawn"

/** A sender of one organization. */
export interface Sender {
  readonly id: SenderId
  readonly kind: Kind
  /** The masking name, the sender number, or the profile id. */
  readonly sender: string
  readonly status: Status
  /** Used for requests without a sender. One default each among non-masking senders and profiles. */
  readonly isDefault: boolean
  /** The only class of messages that it sends; `null`: it sends all. */
  readonly class: MessageClass | null
  /** Why it was rejected, in the operator's words; `null` in other states, and without a reason. */
  readonly reason: string | null
}

/** The sender that a request resolves to. */
export interface ResolvedSender {
  readonly id: SenderId
  readonly value: string
  readonly logChannel: LogChannel
}

const logChannels: Record<Kind, LogChannel> = {
  masking: "mask",
  "non-masking": "non-mask",
  whatsapp: "whatsapp",
}

const digitsOf = (text: string): string => normalizeDigits(text.replace(/^\+/, ""))

const named = (
  senders: ReadonlyArray<Sender>,
  channel: Channel,
  name: string,
): Sender | undefined => {
  const byId = senders.find((sender) => sender.id === name)
  if (byId !== undefined) return byId
  // A withdrawn sender may have been registered again, with another id.
  const inUse = senders.filter(({ status }) => status !== "withdrawn")
  if (channel === "whatsapp") {
    return inUse.find((sender) => sender.kind === "whatsapp" && sender.sender === name)
  }
  const masking = inUse.filter((sender) => sender.kind === "masking" && sender.sender === name)
  return (
    masking.find((sender) => sender.status === "approved") ??
    inUse.find(
      (sender) => sender.kind === "non-masking" && digitsOf(sender.sender) === digitsOf(name),
    ) ??
    masking[0]
  )
}

/** The sender that a request names, or the channel's default. */
const requested = (
  senders: ReadonlyArray<Sender>,
  channel: Channel,
  name: string | undefined,
): Sender | undefined => {
  if (name !== undefined) return named(senders, channel, name)
  const kind = channel === "whatsapp" ? "whatsapp" : "non-masking"
  return senders.find((sender) => sender.isDefault && sender.kind === kind)
}

const isOfClass = (sender: Sender, messageClass: MessageClass): boolean =>
  sender.class === null || sender.class === messageClass

/**
 * Finds the sender by sender id, then by the name of an approved masking sender, then by a registered number in
 * ASCII or Bangla digits. On WhatsApp, finds it by sender id or profile id. Without a name, finds the channel's
 * default. A withdrawn sender is found by its id only, and is refused. A sender of another class is found only to be
 * refused, so two senders with the same name may share the classes.
 */
export const resolve = (
  senders: ReadonlyArray<Sender>,
  channel: Channel,
  name: string | undefined,
  messageClass: MessageClass,
): Result.Result<ResolvedSender, FieldProblem.FieldProblem> => {
  const ofClass = senders.filter((sender) => isOfClass(sender, messageClass))
  const found = requested(ofClass, channel, name) ?? requested(senders, channel, name)
  if (found === undefined) {
    return Result.fail(
      name === undefined
        ? FieldProblem.make("no_default_brand", { channel })
        : FieldProblem.make("brand_not_found", {}),
    )
  }
  if ((found.kind === "whatsapp") !== (channel === "whatsapp")) {
    return Result.fail(FieldProblem.make("brand_wrong_channel", { channel }))
  }
  if (!isOfClass(found, messageClass)) {
    return Result.fail(FieldProblem.make("brand_wrong_class", { class: messageClass }))
  }
  if (found.status !== "approved") {
    return Result.fail(FieldProblem.make("brand_not_approved", {}))
  }
  return Result.succeed({ id: found.id, value: found.sender, logChannel: logChannels[found.kind] })
}

/** The requested sender of a code, or the channel's default: a sender for one channel often cannot send on the other. */
export const resolveOrDefault = (
  senders: ReadonlyArray<Sender>,
  channel: Channel,
  name: string | undefined,
): ResolvedSender | undefined =>
  Result.getOrUndefined(
    Result.orElse(resolve(senders, channel, name, "transactional"), () =>
      resolve(senders, channel, undefined, "transactional"),
    ),
  )
