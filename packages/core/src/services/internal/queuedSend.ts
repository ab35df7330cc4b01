/** A call as it waits in the outbox, and as it is made then. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller, Parsed } from "../../api/Caller.ts"
import * as Readers from "../../api/Readers.ts"
import type { Claimed, NewQueuedSend, QueuedSend } from "../../domain/outbox/QueuedSend.ts"
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

/** The call of a code. */
export const codeOf = (self: QueuedSend) => ({
  organization: self.organization,
  ...readFields(Readers.send, { ...fieldsIn(self), requestId: self.id }),
})

/** The call of a message. */
export const messageOf = (self: QueuedSend) => ({
  organization: self.organization,
  ...readFields(Readers.sendMessage, fieldsIn(self)),
})

type Reads = Readonly<Record<string, (value: unknown) => unknown>>

/** Reads each field. Not by the schemas of the operations: a service over HTTP alone does without them. */
function readFields<R extends Reads>(
  readers: R,
  fields: object,
): { readonly [K in keyof R]: ReturnType<R[K]> }
function readFields(readers: Reads, fields: object): object {
  return Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [name, read(Reflect.get(fields, name))]),
  )
}

/** A call that is no JSON has no fields, also no number, so it is refused. No error may quote it. */
const fieldsIn = ({ call, phoneNumber }: QueuedSend): object => {
  const fields = Result.try((): unknown => (call === "" ? {} : JSON.parse(call)))
  return Result.isFailure(fields) ? {} : { ...Object(fields.success), phoneNumber }
}
