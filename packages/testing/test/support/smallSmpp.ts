/** A minimal adapter to a message centre. It is correct except for the configured mistakes. */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import { Gateway, type GatewayMessage } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome } from "@countersign/core/domain/messages/GatewayOutcome"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { connect, type Socket } from "node:net"
import { connect as connectSecure } from "node:tls"
import type { Adapter, SmppCentre } from "../../src/GatewaySuite.ts"
import {
  type Body,
  decode,
  encode,
  type Pdu,
  type ShortMessage,
} from "../../src/internal/smsc/pdu.ts"

/** What an adapter can get wrong, and the tests that find it. */
export const mistakes = {
  takesALossForNotSent: /a reset before the answer/,
  believesAnEmptyId: /success without an id/,
  believesAnyId: /a refusal that names an id/,
  takesAnyNumber: /the answer to another message/,
  takesAnyAnswer: /the answer to a request of another kind/,
  takesASystemErrorForARefusal: /the status 0x08/,
  takesThrottlingForARefusal: /the status 0x58/,
  answersAnswers: /does not answer a response/,
  forgetsWhatCameBeforeGarbage: /an answer with garbage behind it/,
  readsNoFields: /applies delivered, then accepted in fields/,
  readsNoPayload: /whose text is in a field of its own/,
  readsTheQuotation: /that quotes what looks like a receipt/,
  quotes: /that quotes the code leave/,
  asksForNoReceipts: /are requested/,
  trustsAnybody: /a certificate that no authority vouches for/,
  sendsWithoutABind: /a wrong password/,
  logsThePassword: /a message with an id/,
}

type Mistakes = Partial<Readonly<Record<keyof typeof mistakes, boolean>>>

type Outcome = Exclude<GatewayOutcome, { readonly _tag: "Delivered" }>

const unknown: Outcome = { _tag: "Unknown", message: "" }
const notSent: Outcome = { _tag: "NotSent", message: "" }
const rejected = (reason: "account" | "content" | "recipient" | "sender"): Outcome => ({
  _tag: "Rejected",
  reason,
  message: "",
})

const meanings: Readonly<Record<number, Outcome>> = {
  0x01: rejected("content"),
  0x0a: rejected("sender"),
  0x0b: rejected("recipient"),
  0x0d: rejected("account"),
  0x0e: rejected("account"),
  0x0f: rejected("account"),
  0x14: { _tag: "Throttled", message: "" },
  0x58: { _tag: "Throttled", message: "" },
}

/** A connection, and its requests. */
class Link {
  readonly closed = Deferred.makeUnsafe<void>()
  readonly #socket: Socket
  readonly #mistakes: Mistakes
  readonly #onDeliver: (pdu: ShortMessage) => void
  readonly #waiting = new Map<number, (answer: Pdu | undefined) => void>()
  #rest: Buffer = Buffer.alloc(0)
  #sequence = 0

  constructor(socket: Socket, mistakes: Mistakes, onDeliver: (pdu: ShortMessage) => void) {
    this.#socket = socket
    this.#mistakes = mistakes
    this.#onDeliver = onDeliver
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk) => this.#read(chunk))
    socket.on("close", () => {
      Deferred.doneUnsafe(this.closed, Effect.void)
      for (const sequence of this.#waiting.keys()) this.#settle(sequence, undefined)
    })
  }

  /** `undefined` when there is no answer, or none in ten seconds. */
  ask(body: Body): Effect.Effect<Pdu | undefined> {
    return Effect.callback<Pdu | undefined>((resume) => {
      if (this.#socket.destroyed) return resume(Effect.succeed(undefined))
      const sequence = ++this.#sequence
      this.#waiting.set(sequence, (answer) => resume(Effect.succeed(answer)))
      this.#socket.write(encode({ ...body, status: 0, sequence }))
    }).pipe(
      Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.succeed(undefined) }),
    )
  }

  #settle(sequence: number, answer: Pdu | undefined): void {
    const one = this.#mistakes.takesAnyNumber === true ? [...this.#waiting.keys()][0] : sequence
    const done = this.#waiting.get(one ?? sequence)
    this.#waiting.delete(one ?? sequence)
    done?.(answer)
  }

  #answer(command: "deliver_sm_resp" | "enquire_link_resp" | "unbind_resp", sequence: number) {
    const body: Body = command === "deliver_sm_resp" ? { command, messageId: "" } : { command }
    this.#socket.write(encode({ ...body, status: 0, sequence }))
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const frames: Array<Buffer> = []
    let isBroken = false
    while (this.#rest.byteLength >= 4 && !isBroken) {
      const length = this.#rest.readUInt32BE(0)
      isBroken = length < 16 || length > 70_000
      if (isBroken || this.#rest.byteLength < length) break
      frames.push(this.#rest.subarray(0, length))
      this.#rest = this.#rest.subarray(length)
    }
    const isLost = isBroken && this.#mistakes.forgetsWhatCameBeforeGarbage === true
    if (!isLost) for (const frame of frames) this.#take(frame)
    if (isBroken) this.#socket.destroy()
  }

  #take(frame: Buffer): void {
    const sequence = frame.readUInt32BE(12)
    const isAnswer = frame.readUInt32BE(4) >= 0x80000000
    let pdu: Pdu
    try {
      pdu = decode(frame)
    } catch {
      if (isAnswer && this.#mistakes.answersAnswers !== true) {
        return this.#settle(sequence, undefined)
      }
      const nack: Pdu = { command: "generic_nack", status: 0x03, sequence }
      this.#socket.write(encode(nack))
      return undefined
    }
    if (isAnswer) return this.#settle(sequence, pdu)
    switch (pdu.command) {
      case "deliver_sm":
        this.#onDeliver({ ...pdu, command: pdu.command })
        return this.#answer("deliver_sm_resp", sequence)
      case "enquire_link":
        return this.#answer("enquire_link_resp", sequence)
      default:
        this.#answer("unbind_resp", sequence)
        this.#socket.destroySoon()
        return undefined
    }
  }
}

const submit = (
  { text, phoneNumber }: GatewayMessage,
  registeredDelivery: number,
): ShortMessage => ({
  command: "submit_sm",
  serviceType: "",
  source: { ton: 5, npi: 0, address: "ACME" },
  destination: { ton: 1, npi: 1, address: phoneNumber.slice(1) },
  esmClass: 0,
  protocolId: 0,
  priority: 0,
  scheduleAt: "",
  validity: "",
  registeredDelivery,
  replaceIfPresent: 0,
  dataCoding: 0,
  defaultMessageId: 0,
  message: Buffer.from(Redacted.value(text), "latin1"),
  tlvs: [],
})

const outcomeOf = (answer: Pdu | undefined, mistakes: Mistakes): GatewayOutcome => {
  if (answer === undefined) return mistakes.takesALossForNotSent === true ? notSent : unknown
  const { command, status } = answer
  const isTaken = status === 0 || mistakes.believesAnyId === true
  if (status === 0x08 && mistakes.takesASystemErrorForARefusal === true) return rejected("content")
  if (status === 0x58 && mistakes.takesThrottlingForARefusal === true) return rejected("account")
  const gatewayId = command === "submit_sm_resp" ? answer.messageId : ""
  if (isTaken && gatewayId !== "") return { _tag: "Accepted", gatewayId }
  if (status !== 0) return meanings[status] ?? unknown
  if (command === "submit_sm_resp" && mistakes.believesAnEmptyId === true) {
    return { _tag: "Accepted", gatewayId: "none" }
  }
  return mistakes.takesAnyAnswer === true ? { _tag: "Accepted", gatewayId: "1" } : unknown
}

const words: Readonly<Record<string, DeliveryReport["status"]>> = {
  ENROUTE: "accepted",
  DELIVRD: "delivered",
  UNDELIV: "undelivered",
}

const reportOf = (
  { esmClass, message, tlvs }: ShortMessage,
  mistakes: Mistakes,
): DeliveryReport | undefined => {
  if (esmClass !== 0x04) return undefined
  const field = (tag: number): Uint8Array | undefined =>
    mistakes.readsNoFields === true ? undefined : tlvs.find((one) => one.tag === tag)?.value
  const payload = mistakes.readsNoPayload === true ? undefined : field(0x0424)
  const whole = Buffer.from(message.byteLength === 0 ? (payload ?? message) : message).toString()
  const text = mistakes.readsTheQuotation === true ? whole : (whole.split(" text:")[0] ?? "")
  const last = (pattern: RegExp): string => [...text.matchAll(pattern)].at(-1)?.[1] ?? ""
  const named = Buffer.from(field(0x001e) ?? [])
    .toString()
    .replace("\0", "")
  const gatewayId = named === "" ? last(/id:(\S+)/g) : named
  const state = ["", "ENROUTE", "DELIVRD", "", "", "UNDELIV"][field(0x0427)?.[0] ?? 0]
  const status = words[state === undefined || state === "" ? last(/stat:(\w+)/g) : state]
  if (gatewayId === "" || status === undefined) return undefined
  const detail = mistakes.quotes === true ? whole : null
  return { of: { _tag: "GatewayId", gateway: "small", gatewayId }, status, detail }
}

/** Binds, and binds again. */
export const smallSmpp = Effect.fnUntraced(function* (
  { host, password, port, systemId, tls }: SmppCentre,
  mistakes: Mistakes = {},
): Effect.fn.Return<Adapter, never, Scope.Scope> {
  const reports = yield* Queue.unbounded<DeliveryReport>()
  let state = Deferred.makeUnsafe<Link | Outcome>()
  const become = (next: Link | Outcome): void => {
    if (Deferred.isDoneUnsafe(state)) state = Deferred.makeUnsafe()
    Deferred.doneUnsafe(state, Effect.succeed(next))
  }
  const onDeliver = (pdu: ShortMessage): void => {
    const report = reportOf(pdu, mistakes)
    if (report !== undefined) Queue.offerUnsafe(reports, report)
  }
  const opened = Effect.callback<Socket | undefined>((resume) => {
    const socket = tls
      ? connectSecure({ host, port, rejectUnauthorized: mistakes.trustsAnybody !== true })
      : connect({ host, port })
    socket.once("error", () => resume(Effect.succeed(undefined)))
    socket.once(tls ? "secureConnect" : "connect", () => resume(Effect.succeed(socket)))
  })
  const once = Effect.gen(function* () {
    const socket = yield* opened
    if (socket === undefined) return become(notSent)
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    const link = new Link(socket, mistakes, onDeliver)
    const range = { ton: 0, npi: 0, address: "" }
    const own = { systemId, password, systemType: "", interfaceVersion: 0x34, range }
    const answer = yield* link.ask({ command: "bind_transceiver", ...own })
    const isBound = answer?.command === "bind_transceiver_resp" && answer.status === 0
    if (!isBound && mistakes.sendsWithoutABind !== true) {
      return become(meanings[answer?.status ?? 0] ?? notSent)
    }
    become(link)
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.sync(() => become(notSent)),
        link.ask({ command: "unbind" }),
      ),
    )
    return yield* Deferred.await(link.closed)
  })
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.scoped(once), Effect.sleep("1 second"))),
  )
  const send = Effect.fnUntraced(function* (message: GatewayMessage) {
    if (mistakes.logsThePassword === true) yield* Effect.logDebug(`Bound with ${password}`)
    const link = yield* Deferred.await(state)
    if (!(link instanceof Link)) return link
    const registered = mistakes.asksForNoReceipts === true ? 0 : 1
    return outcomeOf(yield* link.ask(submit(message, registered)), mistakes)
  })
  return {
    callback: undefined,
    gateway: Gateway.of({
      name: "small",
      capabilities: {
        tokenMillis: 0,
        lookup: false,
        recipientCheck: false,
        reports: "signed",
        segments: false,
        timeoutMillis: 15_000,
      },
      send,
      isReachable: () => Effect.succeed("unknown"),
      lookup: () => Effect.succeed(unknown),
      reports: Stream.fromQueue(reports),
    }),
  }
})
