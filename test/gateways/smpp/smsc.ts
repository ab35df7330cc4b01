/**
 * A message centre on loopback that does as it is told. It speaks SMPP with this repository's own codec;
 * `netSmpp.pl` is the one that does not.
 */
import * as Segments from "@countersign/core/Segments"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createSecureServer, type TlsOptions } from "node:tls"
import { Frames } from "../../../packages/gateways/src/internal/smpp/frames.ts"
import type { Tlv } from "../../../packages/gateways/src/internal/smpp/octets.ts"
import {
  type Bind,
  type Body,
  decode,
  encode,
  type Pdu,
  type ShortMessage,
} from "../../../packages/gateways/src/internal/smpp/pdu.ts"

/** What the centre does with a message. */
export type Reply =
  /** Takes it. */
  | { readonly id: string; readonly receipts?: ReadonlyArray<Receipt> }
  /** Takes it, and has reported before it says so. */
  | { readonly id: string; readonly early: ReadonlyArray<Receipt> }
  | { readonly status: number }
  | "silence"
  | "hang up"

/** What the centre says of a message later. */
export interface Receipt {
  /** The id in the text; in the field beside it when `tlv` is. */
  readonly id: string
  /** `DELIVRD` */
  readonly state: string
  readonly error?: string
  /** Adds the fields of SMPP 3.4 that say the same. */
  readonly tlv?: boolean
  readonly esmClass?: number
  /** The beginning of the message, which centres quote. */
  readonly text?: string
}

/** A message that was handed over, and what it says. */
export interface Submitted {
  readonly pdu: ShortMessage
  readonly text: string
  /** The octets of the header in front of the text; empty when there is none. */
  readonly header: ReadonlyArray<number>
  readonly tlv: (tag: number) => Uint8Array | undefined
}

export interface Options {
  /** 0, any that is free, when left out. */
  readonly port?: number
  readonly tls?: TlsOptions
}

export interface Smsc {
  readonly port: number
  /** What was handed over, in order. */
  readonly received: Array<Submitted>
  readonly binds: Array<Bind>
  /** What it does with a message. May be replaced at any time. */
  onSubmit: (submitted: Submitted, count: number) => Reply
  /** The status of the answer to a bind. */
  onBind: () => number
  /** Whether it answers an `enquire_link`. */
  isAwake: boolean
  /** How many connections are bound. */
  readonly bound: () => number
  /** Waits for the next one of its kind. */
  readonly next: (what: Happening) => Effect.Effect<Pdu>
  /** Sends to the client that bound last. */
  readonly tell: (body: Body, sequence?: number) => Effect.Effect<void>
  readonly report: (receipt: Receipt) => Effect.Effect<void>
  /** Writes bytes as they are. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Cuts all connections. */
  readonly hangUp: Effect.Effect<void>
}

type Happening =
  | "bound"
  | "submit_sm"
  | "deliver_sm_resp"
  | "enquire_link"
  | "unbind"
  | "closed"
  | "generic_nack"

const stateNumbers = [
  "ENROUTE",
  "DELIVRD",
  "EXPIRED",
  "DELETED",
  "UNDELIV",
  "ACCEPTD",
  "UNKNOWN",
  "REJECTD",
]

const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"))

/** A receipt, from the phone to the sender. */
const deliverOf = (receipt: Receipt): ShortMessage => ({
  command: "deliver_sm",
  serviceType: "",
  source: { ton: 1, npi: 1, address: "8801712345678" },
  destination: { ton: 5, npi: 0, address: "ACME" },
  esmClass: receipt.esmClass ?? 0x04,
  protocolId: 0,
  priority: 0,
  scheduleAt: "",
  validity: "",
  registeredDelivery: 0,
  replaceIfPresent: 0,
  dataCoding: 0,
  defaultMessageId: 0,
  message: ascii(
    `id:${receipt.tlv === true ? "0" : receipt.id} sub:001 dlvrd:001 submit date:2611180900 ` +
      `done date:2611180901 stat:${receipt.tlv === true ? "ENROUTE" : receipt.state} ` +
      `err:${receipt.error ?? "000"} text:${receipt.text ?? "Your code is"}`,
  ),
  tlvs:
    receipt.tlv === true
      ? [
          { tag: 0x001e, value: ascii(`${receipt.id}\0`) },
          { tag: 0x0427, value: Uint8Array.of(stateNumbers.indexOf(receipt.state) + 1) },
        ]
      : [],
})

/** Septets, one to an octet, back to text: the inverse of what the client writes with. */
const letters = new Map(
  Array.from({ length: 0x20ad }, (_, code) => String.fromCharCode(code)).flatMap((letter) => {
    const bytes = Segments.encodeGsm7(letter)
    return bytes === undefined ? [] : [[bytes.join(), letter] as const]
  }),
)

const fromGsm7 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.byteLength; at++) {
    const code = bytes[at] === 0x1b ? [0x1b, bytes[++at]].join() : String(bytes[at])
    text += letters.get(code) ?? "?"
  }
  return text
}

const fromUcs2 = (bytes: Uint8Array): string => Buffer.from(bytes).swap16().toString("utf16le")

/** Takes the header off, and reads what is left. */
export const submittedOf = (pdu: ShortMessage): Submitted => {
  const tlv = (tag: number) => pdu.tlvs.find((one: Tlv) => one.tag === tag)?.value
  const bytes = tlv(0x0424) ?? pdu.message
  const skip = (pdu.esmClass & 0x40) === 0 ? 0 : (bytes[0] ?? 0) + 1
  const text = bytes.slice(skip)
  return {
    pdu,
    tlv,
    header: Array.from(bytes.slice(0, skip)),
    text: pdu.dataCoding === 8 ? fromUcs2(text) : fromGsm7(text),
  }
}

class Peer {
  readonly socket: Socket
  isBound = false
  #sequence = 1_000

  constructor(socket: Socket) {
    this.socket = socket
  }

  send(body: Body, status = 0, sequence = ++this.#sequence): void {
    this.socket.write(Result.getOrThrow(encode({ ...body, status, sequence })))
  }
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** Runs a centre until the scope ends. It takes everything, under the ids 1, 2, 3, … */
export const startSmsc = Effect.fnUntraced(function* (
  options: Options = {},
): Effect.fn.Return<Smsc, never, Scope.Scope> {
  const peers = new Set<Peer>()
  const happened = {
    bound: yield* Queue.unbounded<Pdu>(),
    submit_sm: yield* Queue.unbounded<Pdu>(),
    deliver_sm_resp: yield* Queue.unbounded<Pdu>(),
    enquire_link: yield* Queue.unbounded<Pdu>(),
    unbind: yield* Queue.unbounded<Pdu>(),
    generic_nack: yield* Queue.unbounded<Pdu>(),
    closed: yield* Queue.unbounded<Pdu>(),
  }
  const last = (): Peer => {
    const peer = [...peers].findLast(({ isBound }) => isBound)
    if (peer === undefined) throw new Error("nobody is bound")
    return peer
  }

  const submit = (peer: Peer, pdu: ShortMessage & Pdu): void => {
    const submitted = submittedOf(pdu)
    const count = smsc.received.push(submitted)
    const reply = smsc.onSubmit(submitted, count)
    if (reply === "hang up") return void peer.socket.destroy()
    if (reply === "silence") return undefined
    const status = "status" in reply ? reply.status : 0
    if ("early" in reply) for (const one of reply.early) peer.send(deliverOf(one))
    const messageId = "id" in reply ? reply.id : ""
    peer.send({ command: "submit_sm_resp", messageId, tlvs: [] }, status, pdu.sequence)
    if ("receipts" in reply) for (const one of reply.receipts ?? []) peer.send(deliverOf(one))
    return undefined
  }

  const take = (peer: Peer, pdu: Pdu): void => {
    switch (pdu.command) {
      case "bind_receiver":
      case "bind_transmitter":
      case "bind_transceiver": {
        smsc.binds.push(pdu)
        const status = smsc.onBind()
        peer.isBound = status === 0
        peer.send(
          { command: `${pdu.command}_resp`, systemId: "centre", tlvs: [] },
          status,
          pdu.sequence,
        )
        if (peer.isBound) Queue.offerUnsafe(happened.bound, pdu)
        return undefined
      }
      case "submit_sm":
        submit(peer, { ...pdu, command: pdu.command })
        return void Queue.offerUnsafe(happened.submit_sm, pdu)
      case "enquire_link":
        if (smsc.isAwake) peer.send({ command: "enquire_link_resp" }, 0, pdu.sequence)
        return void Queue.offerUnsafe(happened.enquire_link, pdu)
      case "unbind":
        peer.send({ command: "unbind_resp" }, 0, pdu.sequence)
        return void Queue.offerUnsafe(happened.unbind, pdu)
      case "deliver_sm_resp":
      case "generic_nack":
        return void Queue.offerUnsafe(happened[pdu.command], pdu)
      default:
        return undefined
    }
  }

  const accept = (socket: Socket): void => {
    const peer = new Peer(socket)
    const frames = new Frames()
    peers.add(peer)
    // An answer that waited to travel with another one would be late by a test's clock.
    socket.setNoDelay(true)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      peers.delete(peer)
      Queue.offerUnsafe(happened.closed, { command: "unbind", status: 0, sequence: 0 })
    })
    socket.on("data", (chunk) => {
      for (const frame of frames.push(chunk) ?? []) {
        if (!socket.destroyed) take(peer, Result.getOrThrow(decode(frame)))
      }
    })
  }
  const server =
    options.tls === undefined ? createServer(accept) : createSecureServer(options.tls, accept)
  server.on("tlsClientError", () => {})
  const hangUp = Effect.sync(() => {
    for (const { socket } of peers) socket.destroy()
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      hangUp,
      Effect.promise(() => new Promise((resolve) => server.close(resolve))),
    ),
  )
  const port = yield* Effect.promise(() => listen(server, options.port ?? 0))

  const smsc: Smsc = {
    port,
    received: [],
    binds: [],
    onSubmit: (_, count) => ({ id: String(count) }),
    onBind: () => 0,
    isAwake: true,
    bound: () => [...peers].filter(({ isBound }) => isBound).length,
    next: (what) => Queue.take(happened[what]),
    tell: (body, sequence) => Effect.sync(() => last().send(body, 0, sequence)),
    report: (receipt) => Effect.sync(() => last().send(deliverOf(receipt))),
    write: (bytes) => Effect.sync(() => void last().socket.write(bytes)),
    hangUp,
  }
  return smsc
})
