import * as Effect from "effect/Effect"
import type { Message } from "../../domain/messages/Message.ts"
import { messageStatuses } from "../../domain/messages/MessageStatus.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import type { Store } from "../../ports/Store.ts"

/** Number of messages that are read at once. */
const pageLength = 1_000

const all = {
  phoneNumber: undefined,
  from: undefined,
  to: undefined,
  statuses: messageStatuses,
  gateway: undefined,
  gatewayId: undefined,
} as const

/**
 * Makes the function that reads messages of the log by their sequences. Those that lie close together are read in pages
 * of the log, which are fewer reads than messages.
 */
export const makeMessagesOf = (store: Pick<Store["Service"], "searchMessages">) =>
  Effect.fnUntraced(function* (organization: OrganizationId, sequences: ReadonlyArray<number>) {
    const found = new Map<number, Message>()
    let rest = sequences.toSorted((a, b) => b - a)
    while (rest.length > 0) {
      const [newest = 0, oldest = newest] = [rest[0], rest.at(-1)]
      const length = Math.min(newest - oldest + 1, pageLength)
      const page = yield* store.searchMessages(organization, {
        ...all,
        before: newest + 1,
        limit: length,
        examine: length,
      })
      for (const message of page?.rows ?? []) found.set(message.sequence, message)
      const reached = page?.next ?? 0
      rest = rest.filter((sequence) => sequence < reached)
    }
    return found
  })
