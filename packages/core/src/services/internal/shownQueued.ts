import { FieldProblems } from "../../api/internal/fieldProblems.ts"
import type * as Api from "../../api/outbox.ts"
import type { QueuedSend } from "../../domain/outbox/QueuedSend.ts"
import * as Answers from "../../engine/StoredAnswer.ts"
import { messageOf } from "./queuedSend.ts"

/** A queued message as operations show it. */
export const shown = (send: QueuedSend): Api.QueuedMessage => {
  const { createdAt, end, endedAt, expiresAt, failure, id, messageSequence } = send
  const { orderKey, phoneNumber, sendAt } = send
  const problems = new FieldProblems()
  const call = send.call === "" ? undefined : messageOf(send)
  return {
    id,
    phoneNumber,
    channel: (call && problems.value("channel", call.channel)) ?? "sms",
    text: (call && problems.value("text", call.text)) ?? "",
    status: end ?? "queued",
    sendAt: sendAt === 0 ? null : sendAt,
    expiresAt,
    orderKey,
    reason: failure === null ? null : Answers.decodeRefusal(failure).code,
    sequence: messageSequence,
    createdAt,
    endedAt,
  }
}
