import { firstWhere } from "../../domain/internal/firstWhere.ts"
import type { Message } from "../../domain/Message.ts"
import type { MessagePage, MessageQuery } from "../../ports/Store.ts"

/** Number of messages in a log, which is ordered by time, that were created before `at`. */
const countBefore = (log: ReadonlyArray<Message>, at: number): number =>
  firstWhere(0, log.length, (index) => (log[index]?.createdAt ?? at) >= at)

/** A page of a log. `version` is the one of its account. */
export const pageOf = (
  log: ReadonlyArray<Message>,
  version: number,
  query: MessageQuery,
): MessagePage => {
  const first = query.from === undefined ? 0 : countBefore(log, query.from)
  const end = query.to === undefined ? log.length : countBefore(log, query.to + 1)
  const total = Math.max(0, end - first)
  const newest = end - query.skip
  const oldest = Math.max(first, newest - query.limit)
  return {
    version,
    total,
    messages: newest > oldest ? log.slice(oldest, newest).toReversed() : [],
  }
}
