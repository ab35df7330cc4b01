import type { BodyReader, ReadProblem } from "@countersign/http/mount/BodyReader"
import * as Effect from "effect/Effect"
import { Readable } from "node:stream"

/** Reads a body of at most `maxBytes`, and calls back once, unless the returned function is called before. */
export const collect = (
  source: Readable,
  maxBytes: number,
  onBody: (body: Uint8Array) => void,
  onProblem: (problem: ReadProblem) => void,
): (() => void) => {
  const chunks: Array<Buffer> = []
  let length = 0
  const off = (): void => {
    source.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken)
  }
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    if (length <= maxBytes) return void chunks.push(chunk)
    off()
    // The adapter handles the rest of the body after the response.
    source.pause()
    onProblem("too large")
  }
  const onEnd = (): void => {
    off()
    const [first = Buffer.alloc(0), ...more] = chunks
    onBody(more.length === 0 ? first : Buffer.concat(chunks, length))
  }
  const onBroken = (): void => {
    off()
    onProblem("unreadable")
  }
  // Other code has read the body, or the client has disconnected. The stream would emit no more events.
  if (source.readableEnded || source.destroyed) onBroken()
  else source.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken)
  return off
}

/** Reads directly from the socket's stream, without the intermediate streams of Effect. */
export const readIncoming: BodyReader = ({ source }, maxBytes) =>
  Effect.callback<Uint8Array, ReadProblem>((resume) => {
    if (!(source instanceof Readable)) return resume(Effect.fail("unreadable"))
    const stop = collect(
      source,
      maxBytes,
      (body) => resume(Effect.succeed(body)),
      (problem) => resume(Effect.fail(problem)),
    )
    return Effect.sync(stop)
  })
