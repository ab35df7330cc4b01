/** A call as it waits in the outbox, and as it is made then. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller, Parsed } from "../../api/Caller.ts"
import * as Input from "../../api/Input.ts"
import { messages } from "../../api/messages.ts"
import * as Readers from "../../api/Readers.ts"
import { verifications } from "../../api/verifications.ts"
import type { Claimed, NewQueuedSend, QueuedSend } from "../../domain/outbox/QueuedSend.ts"
import { requestIdPrefix } from "../../domain/values/Ids.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"

/** The input of a call that was queued, and the send of the outbox that it is for. */
export type Queued<A extends Caller> = Parsed<A> & { readonly queued: Claimed }

interface Fields extends Caller {
  readonly phoneNumber: unknown
  readonly requestId?: unknown
  readonly metadata?: unknown
}

/** A send that is due at once, whose fields were found to be right. */
export const queuedSend = (
  id: string,
  phoneNumber: PhoneNumber,
  { organization, phoneNumber: _number, requestId: _id, metadata, ...fields }: Fields,
): Effect.Effect<NewQueuedSend> =>
  Effect.map(Clock.currentTimeMillis, (createdAt) => ({
    organization,
    id,
    phoneNumber,
    call: JSON.stringify({
      ...fields,
      ...(typeof metadata === "string" && { metadata: JSON.parse(metadata) }),
    }),
    orderKey: null,
    queue: "",
    dueAt: 0,
    expiresAt: null,
    createdAt,
  }))

export const isCode = ({ id }: Pick<QueuedSend, "id">): boolean => id.startsWith(requestIdPrefix)

const readCode = Input.readingBy(verifications.send, Readers.send)
const readMessage = Input.readingBy(messages.send, Readers.sendMessage)

/** The call of a code. */
export const codeOf = (self: QueuedSend) => callOf(readCode, self, { requestId: self.id })

/** The call of a message. */
export const messageOf = (self: QueuedSend) => callOf(readMessage, self, {})

const callOf = <A extends object>(
  read: Input.Reading<A>,
  { call, organization, phoneNumber }: Pick<QueuedSend, "call" | "organization" | "phoneNumber">,
  own: object,
) => {
  const fields: unknown = call === "" ? {} : JSON.parse(call)
  const given = { ...Object(fields), ...own, phoneNumber }
  return Result.getOrThrow(read(given, Result.succeed(organization)))
}
