/**
 * A scripted message centre on loopback, for tests of SMPP 3.4 clients.
 *
 * It has its own codec and reads strictly. Forbidden input from the client fails the client's test, and so
 * does waiting for an event that never happens.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createSecureServer, type TlsOptions } from "node:tls"
import { deliverOf, type Receipt, type Submitted, submittedOf } from "./internal/smsc/messages.ts"
import {
  type Bind,
  type Body,
  decode,
  encode,
  Frames,
  type Pdu,
  type ShortMessage,
} from "./internal/smsc/pdu.ts"
import { within } from "./internal/within.ts"

export type { Bind, Body, Pdu, Receipt, ShortMessage, Submitted }

/** How a connection ends: normally, or with a reset. */
export type End = "hang up" | "reset"

/** Raw bytes instead of an answer. */
export interface Raw {
  /** Chunks for the given sequence number. Each is written after the previous one has left. */
  readonly raw: (sequence: number) => ReadonlyArray<Uint8Array>
  readonly end?: End | undefined
}

/** The centre's reaction to a message. */
export type Reply =
  /** Accepts it. */
  | { readonly id: string; readonly receipts?: ReadonlyArray<Receipt> }
  /** Accepts it, and sends these receipts before the answer. */
  | { readonly id: string; readonly early: ReadonlyArray<Receipt> }
  /** Rejects it. Some centres return an id all the same. */
  | { readonly status: number; readonly refusedId?: string }
  | Raw
  | "silence"
  | End

/** The centre's reaction to a bind: the status of the answer, or no answer. */
export type BindReply = number | Raw | "silence" | End

export interface Options {
  /** TCP port. @defaultValue 0, any free port */
  readonly port?: number
  readonly tls?: TlsOptions
}

/** Events that a test can wait for. */
export type Happening =
  | "connected"
  | "bind"
  | "bound"
  | "submit_sm"
  | "deliver_sm_resp"
  | "enquire_link"
  | "enquire_link_resp"
  | "unbind"
  | "closed"
  | "generic_nack"

export interface Smsc {
  readonly port: number
  /** Submitted messages, in order. */
  readonly received: Array<Submitted>
  readonly binds: Array<Bind>
  /** Returns the reaction to a message. May be replaced at any time. */
  onSubmit: (submitted: Submitted, count: number) => Reply
  onBind: (bind: Bind) => BindReply
  /** Returns the reaction to a connection before the first byte. */
  onConnect: () => "wait" | End
  /** Whether the centre answers an `enquire_link`. */
  isAwake: boolean
  /** Whether the centre answers an `unbind`. */
  letsGo: boolean
  /** Number of bound connections. */
  readonly bound: () => number
  /** Number of connections. */
  readonly connected: () => number
  /** Waits for the next event of this kind, at most 20 seconds. */
  readonly next: (what: Happening) => Effect.Effect<Pdu>
  /** Sends to the client that bound last. */
  readonly tell: (body: Body, sequence?: number) => Effect.Effect<void>
  /** Sends a receipt to the last client that bound as a receiver. */
  readonly report: (receipt: Receipt) => Effect.Effect<void>
  /** Writes raw bytes. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Closes all connections. */
  readonly hangUp: Effect.Effect<void>
  /** Closes the connections that are bound in this way. */
  readonly cut: (way: Bind["command"]) => Effect.Effect<void>
  /** Stops reading, as a stopped process does. Connections stay open, and further ones are accepted. */
  readonly pause: Effect.Effect<void>
  /** Reads again, beginning with what has arrived in the meantime. */
  readonly resume: Effect.Effect<void>
}

const nothing: Pdu = { command: "unbind", status: 0, sequence: 0 }

class Peer {
  readonly socket: Socket
  /** Kind of bind; `undefined` before the bind. */
  bind: Bind["command"] | undefined
  #sequence = 1_000

  constructor(socket: Socket) {
    this.socket = socket
  }

  send(body: Body, status = 0, sequence = ++this.#sequence): void {
    if (!this.socket.writable) return
    this.socket.write(encode({ ...body, status, sequence }))
  }

  end(how: End): void {
    if (how === "reset") this.socket.resetAndDestroy()
    else this.socket.destroy()
  }

  /** Writes chunks, each in its own turn of the event loop, so that each is sent separately. */
  write([piece, ...others]: ReadonlyArray<Uint8Array>, end: End | undefined): void {
    if (this.socket.destroyed) return
    if (piece === undefined) {
      if (end !== undefined) this.end(end)
      return
    }
    this.socket.write(piece, () => setImmediate(() => this.write(others, end)))
  }
}

const isSender = ({ bind }: Peer): boolean => bind !== undefined && bind !== "bind_receiver"
const isReceiver = ({ bind }: Peer): boolean => bind !== undefined && bind !== "bind_transmitter"

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** Runs a centre until the scope closes. By default it accepts every message, under the ids 1, 2, 3, … */
export const startSmsc = Effect.fnUntraced(function* (
  options: Options = {},
): Effect.fn.Return<Smsc, never, Scope.Scope> {
  const peers = new Set<Peer>()
  const sockets = new Set<Socket>()
  const happened: Readonly<Record<Happening, Queue.Queue<Pdu>>> = {
    connected: yield* Queue.unbounded<Pdu>(),
    bind: yield* Queue.unbounded<Pdu>(),
    bound: yield* Queue.unbounded<Pdu>(),
    submit_sm: yield* Queue.unbounded<Pdu>(),
    deliver_sm_resp: yield* Queue.unbounded<Pdu>(),
    enquire_link: yield* Queue.unbounded<Pdu>(),
    enquire_link_resp: yield* Queue.unbounded<Pdu>(),
    unbind: yield* Queue.unbounded<Pdu>(),
    generic_nack: yield* Queue.unbounded<Pdu>(),
    closed: yield* Queue.unbounded<Pdu>(),
  }
  const happens = (what: Happening, pdu: Pdu): void => void Queue.offerUnsafe(happened[what], pdu)
  /** Fails all waits with a protocol error. */
  const fail = (problem: unknown): void => {
    for (const queue of Object.values(happened)) {
      Queue.failCauseUnsafe(queue, Cause.die(problem))
    }
  }
  const last = (isMeant: (peer: Peer) => boolean): Peer => {
    const peer = [...peers].findLast(isMeant)
    if (peer === undefined) throw new Error("No client is bound to the centre")
    return peer
  }
  /** Receipts without a bound receiver. */
  const kept: Array<Receipt> = []
  const report = (receipt: Receipt, sender?: Peer): void => {
    const receiver =
      sender !== undefined && isReceiver(sender) ? sender : [...peers].findLast(isReceiver)
    if (receiver === undefined) kept.push(receipt)
    else receiver.send(deliverOf(receipt))
  }

  const submit = (peer: Peer, pdu: ShortMessage & Pdu): void => {
    const answer = (status: number, messageId = "") =>
      peer.send({ command: "submit_sm_resp", messageId }, status, pdu.sequence)
    // ESME_RINVBNDSTS
    if (!isSender(peer)) return answer(0x04)
    const submitted = submittedOf(pdu)
    const count = smsc.received.push(submitted)
    const reply = smsc.onSubmit(submitted, count)
    if (reply === "silence") return undefined
    if (reply === "hang up" || reply === "reset") return peer.end(reply)
    if ("raw" in reply) return peer.write(reply.raw(pdu.sequence), reply.end)
    if ("status" in reply) return answer(reply.status, reply.refusedId)
    if ("early" in reply) for (const one of reply.early) report(one, peer)
    answer(0, reply.id)
    if ("receipts" in reply) for (const one of reply.receipts ?? []) report(one, peer)
    return undefined
  }

  const bind = (peer: Peer, pdu: Bind & Pdu): void => {
    smsc.binds.push(pdu)
    const reply = smsc.onBind(pdu)
    happens("bind", pdu)
    if (reply === "silence") return undefined
    if (reply === "hang up" || reply === "reset") return peer.end(reply)
    const isRaw = typeof reply !== "number"
    if (isRaw) peer.write(reply.raw(pdu.sequence), reply.end)
    else peer.send({ command: `${pdu.command}_resp`, systemId: "centre" }, reply, pdu.sequence)
    if (!isRaw && reply !== 0) return undefined
    peer.bind = pdu.command
    happens("bound", pdu)
    if (isReceiver(peer)) for (const receipt of kept.splice(0)) peer.send(deliverOf(receipt))
    return undefined
  }

  const take = (peer: Peer, pdu: Pdu): void => {
    switch (pdu.command) {
      case "bind_receiver":
      case "bind_transmitter":
      case "bind_transceiver":
        return bind(peer, { ...pdu, command: pdu.command })
      case "submit_sm":
        submit(peer, { ...pdu, command: pdu.command })
        return happens("submit_sm", pdu)
      case "enquire_link":
        if (smsc.isAwake) peer.send({ command: "enquire_link_resp" }, 0, pdu.sequence)
        return happens("enquire_link", pdu)
      case "unbind":
        if (smsc.letsGo) peer.send({ command: "unbind_resp" }, 0, pdu.sequence)
        return happens("unbind", pdu)
      case "deliver_sm_resp":
      case "enquire_link_resp":
      case "generic_nack":
        return happens(pdu.command, pdu)
      default:
        return undefined
    }
  }

  let isPaused = false
  const accept = (socket: Socket): void => {
    if (isPaused) socket.pause()
    const peer = new Peer(socket)
    const frames = new Frames()
    peers.add(peer)
    // Without this option, answers would be delayed to share a packet, and the test's clock would pass.
    socket.setNoDelay(true)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      peers.delete(peer)
      happens("closed", nothing)
    })
    socket.on("data", (chunk) => {
      try {
        for (const frame of frames.push(chunk)) if (!socket.destroyed) take(peer, decode(frame))
      } catch (problem) {
        fail(problem)
        socket.destroy()
      }
    })
    happens("connected", nothing)
    const then = smsc.onConnect()
    if (then !== "wait") peer.end(then)
  }
  const server =
    options.tls === undefined ? createServer(accept) : createSecureServer(options.tls, accept)
  server.on("tlsClientError", () => {})
  // Includes connections that are not accepted yet: a server closes only after the last one.
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
  })
  yield* Effect.addFinalizer(() =>
    within(
      "the end of the centre's connections",
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      }),
    ),
  )

  const smsc: Smsc = {
    port: yield* Effect.promise(() => listen(server, options.port ?? 0)),
    received: [],
    binds: [],
    onSubmit: (_, count) => ({ id: String(count) }),
    onBind: () => 0,
    onConnect: () => "wait",
    isAwake: true,
    letsGo: true,
    bound: () => [...peers].filter(({ bind }) => bind !== undefined).length,
    connected: () => sockets.size,
    next: (what) => within(what, Queue.take(happened[what])),
    tell: (body, sequence) =>
      Effect.sync(() => last(({ bind }) => bind !== undefined).send(body, 0, sequence)),
    report: (receipt) => Effect.sync(() => report(receipt)),
    write: (bytes) =>
      Effect.sync(() => void last(({ bind }) => bind !== undefined).socket.write(bytes)),
    hangUp: Effect.sync(() => {
      for (const { socket } of peers) socket.destroy()
    }),
    cut: (way) =>
      Effect.sync(() => {
        for (const { bind, socket } of peers) if (bind === way) socket.destroy()
      }),
    pause: Effect.sync(() => {
      isPaused = true
      for (const { socket } of peers) socket.pause()
    }),
    resume: Effect.sync(() => {
      isPaused = false
      for (const { socket } of peers) socket.resume()
    }),
  }
  return smsc
})
