/**
 * Masks the phone numbers of every answer. It works on the text that leaves, so an endpoint that is
 * new cannot show a number.
 */
import * as Masking from "@countersign/core/domain/values/Masking"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"

/** A number in international form. A time zone has four digits, and a change of money a decimal point. */
const international = /(?<![\w.])\+[1-9]\d{6,14}(?!\d|\.\d)/g

/** Digits of the end of a number that find it in another form, such as `01712345678` of `+8801712345678`. */
const tailLength = 8

/** A number in the form of a country, such as `01712345678`. An id that looks like one is also masked. */
const national = /(?<![\w.+-])0\d{9,11}(?![\w.])/g

/** Texts of people and of vendors: such a text may have a number in any grouping. */
const free = /("(?:text|raw|message|vendorMessage|label|note|name|reason)":)"((?:[^"\\]|\\.)*)"/g

/** The text in pieces that `Masking.words` reads whole. Only one that no message can be as long as has several. */
const words = (text: string): string =>
  (text.match(/.{1,16000}/gsu) ?? []).map(Masking.words).join("")

/** A text without the phone numbers that it has in international form, also in the other forms that it has of them. */
export const masked = (text: string): string => {
  const tails = new Set(
    [...text.matchAll(international)].map(([found]) => found.slice(-tailLength)),
  )
  return text
    .replace(free, (_, name: string, value: string) => `${name}"${words(value)}"`)
    .replace(/\+?\d{8,15}/g, (found) =>
      tails.has(found.slice(-tailLength)) ? Masking.words(found) : found,
    )
    .replace(national, Masking.words)
}

const decoder = new TextDecoder()

/** A text of words in a cell, as opposed to an id. */
const isFree = (cell: string): boolean => /[\s(]/.test(cell)

/** A line of CSV with masked numbers in the texts of its cells, and whether it ends in one. Quotes bound them. */
const maskedCells = (isInside: boolean, line: string) => {
  const parts = line.split('"')
  const isText = (index: number): boolean => (index % 2 === 1) !== isInside
  const cells = parts.map((part, index) => (isText(index) && isFree(part) ? words(part) : part))
  return [isText(parts.length - 1), [masked(cells.join('"'))]] as const
}

const masksLines = (contentType: string) =>
  contentType.startsWith("text/csv")
    ? Stream.mapAccum(() => false, maskedCells)
    : Stream.map((line: string) => masked(line))

/** The answer with masked numbers. A stream is masked line by line. */
export const maskedAnswer = (
  answer: HttpServerResponse.HttpServerResponse,
): HttpServerResponse.HttpServerResponse => {
  const { body } = answer
  switch (body._tag) {
    case "Uint8Array":
      return HttpServerResponse.setBody(
        answer,
        HttpBody.text(masked(decoder.decode(body.body)), body.contentType),
      )
    case "Stream": {
      const lines = Stream.splitLines(Stream.decodeText(body.stream))
      const text = Stream.map(masksLines(body.contentType)(lines), (line) => `${line}\n`)
      return HttpServerResponse.setBody(
        answer,
        HttpBody.stream(Stream.encodeText(text), body.contentType),
      )
    }
    default:
      return answer
  }
}
