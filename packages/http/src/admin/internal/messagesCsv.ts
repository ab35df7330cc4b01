import * as MessageCsv from "@countersign/core/codec/MessageCsv"
import type { Messages } from "@countersign/core/services/Messages"
import type { SearchMessages } from "@countersign/core/api/SearchCalls"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** As many as a spreadsheet can show. */
const maxRows = 1_000_000

/** Number of messages of a page, which is read when it is needed. */
const pageRows = 200

/** All pages of a search as CSV. Reads the first page at once, so that invalid input is an error and not a broken stream. */
export const messagesCsv = Effect.fnUntraced(function* (
  service: Messages["Service"],
  input: SearchMessages,
  currency: string,
) {
  const page = (cursor: string | undefined) => service.search({ ...input, cursor, limit: pageRows })
  const first = yield* page(undefined)
  const linesOf = ({ messages }: typeof first) => MessageCsv.lines(messages, currency)
  const rest = Stream.paginate({ cursor: first.next, rows: first.messages.length }, (place) =>
    place.cursor === undefined || place.rows >= maxRows
      ? Effect.succeed([[], Option.none()] as const)
      : Effect.map(page(place.cursor), (found) => {
          const next = { cursor: found.next, rows: place.rows + found.messages.length }
          return [[linesOf(found)], Option.some(next)] as const
        }),
  )
  // An error after the beginning breaks the answer off.
  return Stream.concat(Stream.make(MessageCsv.header, linesOf(first)), Stream.orDie(rest)).pipe(
    Stream.encodeText,
  )
})
