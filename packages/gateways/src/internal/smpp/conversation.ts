import { setNewest } from "@countersign/core/domain/values/BoundedCache"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Socket } from "node:net"

import { type Body, decode, encode, Frames, isAnswer, type Pdu } from "./pdu.ts"

/** Why a request has no answer: it timed out, the connection ended, or the input is unreadable. */
export type Unanswered = "late" | "closed" | "unreadable"

interface Waiting {
  readonly until: number
  readonly done: (answer: Pdu | Unanswered) => void
  /** Receives the answer of a request that timed out before. */
  readonly late?: ((answer: Pdu) => void) | undefined
}

/** Most timed-out requests that are remembered. The oldest are dropped first. */
const maxLate = 10_000

/** Most octets that are written and not yet sent. A centre that does not read is disconnected. */
const maxUnsent = 4 * 1_024 * 1_024

/** Writes requests, reads PDUs, and matches answers with requests. */
export class Conversation {
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  readonly #late = new Map<number, NonNullable<Waiting["late"]>>()
  readonly #onRequest: (pdu: Pdu) => void
  readonly #frames = new Frames()
  readonly closed = Deferred.makeUnsafe<void>()
  #sequence = 0
  #isEnding = false

  constructor(socket: Socket, onRequest: (pdu: Pdu) => void) {
    this.#socket = socket
    this.#onRequest = onRequest
    socket.on("data", (chunk) => this.#read(chunk))
    socket.on("close", () => this.#end())
    if (socket.destroyed) this.#end()
  }

  /** Whether the connection accepts no more writes. */
  get isClosed(): boolean {
    return this.#isEnding || Deferred.isDoneUnsafe(this.closed)
  }

  /** Number of timed-out requests whose answers may still arrive. */
  get overdue(): number {
    return this.#late.size
  }

  /** Closes the connection after pending writes. */
  close(): void {
    this.#isEnding = true
    this.#socket.destroySoon()
  }

  /** Closes the connection at once, because the peer may never read pending writes. */
  abandon(): void {
    this.#isEnding = true
    this.#socket.destroy()
  }

  /** Writes a request. Returns the name of the field that does not fit, or `undefined`. */
  request(body: Body, waiting: Waiting): string | undefined {
    const sequence = (this.#sequence % 0x7fffffff) + 1
    const bytes = encode({ ...body, status: 0, sequence })
    if (Result.isFailure(bytes)) return bytes.failure
    this.#sequence = sequence
    this.#waiting.set(sequence, waiting)
    this.#write(bytes.success)
    return undefined
  }

  answer(pdu: Pdu): void {
    const bytes = encode(pdu)
    if (Result.isSuccess(bytes)) this.#write(bytes.success)
  }

  #write(bytes: Uint8Array): void {
    this.#socket.write(bytes)
    if (this.#socket.writableLength > maxUnsent) this.abandon()
  }

  /** Fails the requests that have timed out. */
  sweep(now: number): void {
    for (const [sequence, { done, late, until }] of this.#waiting) {
      if (until > now) continue
      this.#waiting.delete(sequence)
      if (late !== undefined) setNewest(this.#late, sequence, late, maxLate)
      done("late")
    }
  }

  #read(chunk: Uint8Array): void {
    if (this.#frames.isBroken) return
    for (const frame of this.#frames.push(chunk)) this.#take(frame)
    if (!this.#frames.isBroken) return
    this.answer({ command: "generic_nack", status: 0x02, sequence: 0 })
    this.close()
  }

  #take(frame: Uint8Array): void {
    const read = decode(frame)
    if (Result.isFailure(read)) {
      const { isAnswer, sequence, status } = read.failure
      if (isAnswer) return this.#settle(sequence, "unreadable")
      return this.answer({ command: "generic_nack", status, sequence })
    }
    const pdu = read.success
    if (!isAnswer(pdu)) return this.#onRequest(pdu)
    return this.#settle(pdu.sequence, pdu)
  }

  #settle(sequence: number, answer: Pdu | Unanswered): void {
    const waiting = this.#waiting.get(sequence)
    const late = this.#late.get(sequence)
    this.#waiting.delete(sequence)
    this.#late.delete(sequence)
    if (waiting !== undefined) waiting.done(answer)
    else if (typeof answer !== "string") late?.(answer)
  }

  #end(): void {
    Deferred.doneUnsafe(this.closed, Effect.void)
    for (const sequence of this.#waiting.keys()) this.#settle(sequence, "closed")
  }
}

/** Sends a request and waits. Returns `undefined` if no readable answer arrives in time. */
export const ask = (conversation: Conversation, body: Body, millis: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.callback<Pdu | undefined>((resume) => {
      const done = (answer: Pdu | Unanswered): void =>
        resume(Effect.succeed(typeof answer === "string" ? undefined : answer))
      const field = conversation.request(body, { until: now + millis, done })
      if (field !== undefined) resume(Effect.succeed(undefined))
    }).pipe(
      Effect.timeoutOrElse({
        duration: Duration.millis(millis),
        orElse: () => Effect.succeed(undefined),
      }),
    ),
  )
