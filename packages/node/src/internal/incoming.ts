import type { BodyReader, ReadProblem } from "@countersign/http/BodyReader"
import * as Effect from "effect/Effect"
import { Readable } from "node:stream"

/** Reads directly from the socket's stream, without the intermediate streams of Effect. */
export const readIncoming: BodyReader = ({ source }, maxBytes) =>
  Effect.callback<Uint8Array, ReadProblem>((resume) => {
    if (!(source instanceof Readable)) return resume(Effect.fail("unreadable"))
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
      resume(Effect.fail("too large"))
    }
    const onEnd = (): void => {
      off()
      const [first = Buffer.alloc(0), ...more] = chunks
      resume(Effect.succeed(more.length === 0 ? first : Buffer.concat(chunks, length)))
    }
    const onBroken = (): void => {
      off()
      resume(Effect.fail("unreadable"))
    }
    // Other code has read the body, or the client has disconnected. The stream would emit no more events.
    if (source.readableEnded || source.destroyed) return onBroken()
    source.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken)
    return Effect.sync(off)
  })
