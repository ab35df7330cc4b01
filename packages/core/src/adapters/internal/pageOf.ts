import { firstWhere } from "../../domain/values/internal/firstWhere.ts"
import type { Message } from "../../domain/messages/Message.ts"
import type { Found, Search } from "../../ports/Search.ts"
import type { MessagePage, MessageQuery } from "../../ports/Store.ts"

/** Number of messages in a log, which is ordered by time, that were created before `at`. */
const countBefore = (log: ReadonlyArray<Message>, at: number): number =>
  firstWhere(0, log.length, (index) => (log[index]?.createdAt ?? at) >= at)

/** The range of indexes of the messages between two times, which are inclusive. */
const rangeOf = (
  log: ReadonlyArray<Message>,
  { from, to }: Pick<MessageQuery, "from" | "to">,
): { readonly first: number; readonly end: number } => ({
  first: from === undefined ? 0 : countBefore(log, from),
  end: to === undefined ? log.length : countBefore(log, to + 1),
})

/** A page of a log. `version` is the one of its account. */
export const pageOf = (
  log: ReadonlyArray<Message>,
  version: number,
  query: MessageQuery,
): MessagePage => {
  const { end, first } = rangeOf(log, query)
  const total = Math.max(0, end - first)
  const newest = end - query.skip
  const oldest = Math.max(first, newest - query.limit)
  return {
    version,
    total,
    messages: newest > oldest ? log.slice(oldest, newest).toReversed() : [],
  }
}

/** A page of what `select` finds for the messages of a search. */
export const searchOf = <A>(
  log: ReadonlyArray<Message>,
  version: number,
  { before = Infinity, examine, limit, phoneNumber, ...times }: Search,
  select: (message: Message) => A | undefined,
): Found<A> => {
  const { end, first } = rangeOf(log, times)
  const rows: Array<A> = []
  let examined = 0
  for (let index = end - 1; index >= first; index--) {
    const message = log[index]
    if (message === undefined || message.sequence >= before) continue
    if (phoneNumber !== undefined && message.phoneNumber !== phoneNumber) continue
    if (rows.length === limit || examined === examine) {
      return { version, rows, next: message.sequence + 1 }
    }
    examined += 1
    const row = select(message)
    if (row !== undefined) rows.push(row)
  }
  return { version, rows, next: undefined }
}
