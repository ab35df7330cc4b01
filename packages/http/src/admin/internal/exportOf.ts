import * as Codec from "@countersign/core/codec/Codec"
import type { ExportPage, PersonalData, Privacy } from "@countersign/core/services/Privacy"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

const linesOf = ({ records }: ExportPage): string =>
  records.map((record) => `${JSON.stringify(Codec.personalRecord(record))}\n`).join("")

/** An export as lines of JSON. Reads the first page at once, so that invalid input is an error and not a broken stream. */
export const exportOf = Effect.fnUntraced(function* (
  privacy: Privacy["Service"],
  input: PersonalData,
) {
  const first = yield* privacy.exportPage(input)
  const rest = Stream.paginate(first.next, (place) =>
    place === undefined
      ? Effect.succeed([[], Option.none()] as const)
      : Effect.map(
          privacy.exportPage(input, place),
          (page) => [[linesOf(page)], Option.some(page.next)] as const,
        ),
  )
  // An error after the beginning breaks the answer off.
  return Stream.concat(Stream.make(linesOf(first)), Stream.orDie(rest)).pipe(Stream.encodeText)
})
