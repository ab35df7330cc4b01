/** Why a message to a recipient or from a sender is not sent. */
import { error, problem } from "./ErrorRow.ts"

const capitalized = (sentence: string): string =>
  sentence.charAt(0).toUpperCase() + sentence.slice(1)

export class SenderUnusable extends error<SenderUnusable>()("SenderUnusable", {
  code: "sender_unusable",
  status: 400,
  params: { problem },
  sentence: "The sender cannot be used",
  meaning: "The named sender does not exist, is of the wrong kind, or is not approved.",
  advice: "Name another sender, or register this one.",
  isForOperators: true,
  label: "Sender cannot be used",
  body: "NotSendable",
}) {
  override get message(): string {
    return capitalized(this.problem.message)
  }
}

export class NotOnWhatsApp extends error<NotOnWhatsApp>()("NotOnWhatsApp", {
  code: "not_on_whatsapp",
  status: 400,
  params: {},
  sentence: "The recipient is not on WhatsApp",
  meaning: "The recipient has no WhatsApp account. Nothing was sent or charged.",
  advice: "Offer SMS.",
  label: "Not on WhatsApp",
  body: "NotSendable",
}) {}

export class OptedOut extends error<OptedOut>()("OptedOut", {
  code: "opted_out",
  status: 400,
  params: {},
  sentence: "The recipient has opted out",
  meaning: "The message is promotional, and the number has opted out. Nothing was sent.",
  advice: "Send the number no promotional messages.",
  label: "Opted out",
  body: "NotSendable",
}) {}
