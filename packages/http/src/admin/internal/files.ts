/** Answers that browsers save as files. */
import { showing } from "@countersign/core/api/Operation"
import { personalRecord } from "@countersign/core/api/privacy"
import * as MessageCsv from "@countersign/core/domain/messages/MessageCsv"
import type { Messages, SearchMessages } from "@countersign/core/services/Messages"
import type { PersonalData, Privacy } from "@countersign/core/services/Privacy"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** The options of a file. An organization's id can be part of a file name. */
const file = (contentType: string, filename: string) => ({
  contentType,
  headers: { "content-disposition": `attachment; filename="${filename}"` },
})

export const csv = (organization: string, name: string) =>
  file("text/csv; charset=utf-8", `${organization}-${name}.csv`)

/** A file that is read while it is sent. An error after the beginning breaks it off. */
export const streamed = <E>(parts: Stream.Stream<string, E>, options: ReturnType<typeof file>) =>
  HttpServerResponse.stream(Stream.encodeText(Stream.orDie(parts)), options)

interface Page<Place> {
  readonly text: string
  /** `undefined` after the last page. */
  readonly next: Place | undefined
}

/** The texts of all pages. Reads the first page at once, so that invalid input is an error and not a broken stream. */
const pages = <Place, E>(read: (place?: Place) => Effect.Effect<Page<Place>, E>) =>
  Effect.map(read(), (first) => {
    const rest = Stream.paginate(first.next, (place) =>
      place === undefined
        ? Effect.succeed([[], Option.none()] as const)
        : Effect.map(read(place), ({ next, text }) => [[text], Option.some(next)] as const),
    )
    return Stream.concat(Stream.make(first.text), rest)
  })

const plain = showing({ output: personalRecord })

/** An export as lines of JSON. */
export const exportOf = (privacy: Privacy["Service"], input: PersonalData) =>
  Effect.map(
    pages((place?: Parameters<typeof privacy.exportPage>[1]) =>
      Effect.map(privacy.exportPage(input, place), ({ next, records }) => ({
        text: records.map((record) => `${JSON.stringify(plain(record))}\n`).join(""),
        next,
      })),
    ),
    (parts) => streamed(parts, file("application/x-ndjson", `${input.organization}-export.jsonl`)),
  )

/** As many as a spreadsheet can show. */
const maxRows = 1_000_000

/** Number of messages of a page, which is read when it is needed. */
const pageRows = 200

/** All pages of a search as CSV. */
export const messagesCsv = (
  service: Messages["Service"],
  input: SearchMessages,
  currency: string,
) =>
  Effect.map(
    pages(({ cursor, rows }: { cursor?: string; rows: number } = { rows: 0 }) =>
      Effect.map(
        service.search({ ...input, cursor, limit: pageRows }),
        ({ messages, next: last }) => {
          const read = rows + messages.length
          const lines = MessageCsv.lines(messages, currency)
          return {
            text: cursor === undefined ? `${MessageCsv.header}${lines}` : lines,
            next: last === undefined || read >= maxRows ? undefined : { cursor: last, rows: read },
          }
        },
      ),
    ),
    (parts) => streamed(parts, csv(input.organization, "messages")),
  )
