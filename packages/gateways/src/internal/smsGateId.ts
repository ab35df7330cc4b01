/**
 * What a message is called on a phone: at most 36 characters, the same for every dispatch.
 *
 * @module-kind pure
 */
import type { MessageId, MessageRef } from "@countersign/core/Ids"
import { readRef, writeRef } from "./ref.ts"
import { tokenTail } from "./tokenTail.ts"

const maxLength = 36

/** Enough to tell apart what two installations with the same organizations send by one phone. */
const markLength = 12

// A tilde is in no reference, and is not encoded in any part of an address.
const marked = /^(.+)~[0-9a-zA-Z]{12}$/

/**
 * `acme.12~0f3c…`, so that a report names the message itself, also when the answer to its dispatch was lost.
 * Where the organization's name is too long for that, the end of the token.
 */
export const idOf = ({
  ref,
  token,
}: {
  readonly ref: MessageRef
  readonly token: MessageId
}): string => {
  const id = `${writeRef(ref)}~${tokenTail(token, markLength)}`
  return id.length <= maxLength ? id : tokenTail(token, maxLength)
}

/** The message that `idOf` has named; `undefined` for any other name. */
export const refOf = (id: string): MessageRef | undefined => readRef(marked.exec(id)?.[1])
