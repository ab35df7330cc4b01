/**
 * What a message is called on a phone: at most 36 characters, the same for every dispatch.
 */
import type { MessageId, MessageRef } from "@countersign/core/domain/Ids"
import { markedRef } from "./ref.ts"
import { tokenTail } from "./tokenTail.ts"

const maxLength = 36

/**
 * `acme.12.0f3c…`, so that a report names the message itself, also when the answer to its dispatch was lost.
 * Where the organization's name is too long for that, the end of the token.
 */
export const idOf = (message: { readonly ref: MessageRef; readonly token: MessageId }): string => {
  const id = markedRef(message)
  return id.length <= maxLength ? id : tokenTail(message.token, maxLength)
}
