import * as Effect from "effect/Effect"
import type { BodyReader, ReadProblem } from "../BodyReader.ts"

const isWebRequest = (source: object): source is Request => "body" in source && "bodyUsed" in source

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

/** How much of a body that is too large is read and discarded, as a multiple of the limit. */
const thrownAway = 16

/**
 * Reads the body of a web `Request`. Refuses a body that is too large at once and reads on for a while, because
 * servers on Node close a connection with an unread body, and the client's next request fails with it.
 */
export const readWeb: BodyReader = ({ source }, maxBytes) =>
  Effect.callback<Uint8Array, ReadProblem>((resume) => {
    if (!isWebRequest(source) || source.bodyUsed) return resume(Effect.fail("unreadable"))
    if (source.body === null) return resume(Effect.succeed(new Uint8Array()))
    const reader = source.body.getReader()
    const read = async (): Promise<void> => {
      const chunks: Array<Uint8Array> = []
      let length = 0
      while (length <= maxBytes * thrownAway) {
        const { done, value } = await reader.read()
        if (done) return resume(Effect.succeed(joined(chunks, Math.min(length, maxBytes))))
        length += value.byteLength
        if (length <= maxBytes) chunks.push(value)
        else resume(Effect.fail("too large"))
      }
    }
    read()
      .catch(() => resume(Effect.fail("unreadable")))
      .finally(() => reader.releaseLock())
    // The pending read fails, and its result is ignored.
    return Effect.sync(() => reader.releaseLock())
  })
