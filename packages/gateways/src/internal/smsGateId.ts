/**
 * The id of a message on the phone: at most 36 characters, the same for every dispatch.
 */
import type { MessageId, MessageRef } from "@countersign/core/domain/Ids"
import { markedRef } from "./ref.ts"
import { tokenTail } from "./tokenTail.ts"

const maxLength = 36

/**
 * Returns `acme.12.0f3c…`, so that a report identifies the message even if the answer to its dispatch was
 * lost. If the organization's id is too long for that, returns the end of the token.
 */
export const idOf = (message: { readonly ref: MessageRef; readonly token: MessageId }): string => {
  const id = markedRef(message)
  return id.length <= maxLength ? id : tokenTail(message.token, maxLength)
}
