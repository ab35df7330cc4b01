import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { BindReply, Raw, Reply, Smsc } from "../../Smsc.ts"
import { encode, frame } from "../smsc/pdu.ts"
import type { Play, Stage } from "./plan.ts"
import type { Setting, Staged } from "./smppStage.ts"
import type { Expected } from "./subject.ts"

const bindAnswer = (sequence: number): Uint8Array =>
  encode({ command: "bind_transceiver_resp", systemId: "centre", status: 0, sequence })

const answer = (sequence: number, messageId = "1", status = 0): Uint8Array =>
  encode({ command: "submit_sm_resp", messageId, status, sequence })

/** Replaces the length field of a PDU. */
const ofLength = (bytes: Uint8Array, length: number): Uint8Array => {
  const copy = Buffer.from(bytes)
  copy.writeUInt32BE(length)
  return copy
}

/** All octets but the last. */
const begun = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => [bytes.slice(0, -1)]

const octets = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from(bytes, (byte) => Uint8Array.of(byte))

const garbage = Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")

const bare = (command: "enquire_link" | "unbind", sequence: number): Uint8Array =>
  encode({ command, status: 0, sequence })

/** The command id of `submit_sm_resp`, and an undefined id of an answer. */
const submitAnswerId = 0x80000004
const unknownAnswerId = 0x80000fff
const unknownRequestId = 0x00000fff

/** Waits until the centre has the request, and lets the timeout pass. */
const untilTimeOut = ({ adapter, nextMessage }: Stage): Effect.Effect<void> =>
  Effect.andThen(
    nextMessage,
    TestClock.adjust(Duration.millis(adapter.gateway.capabilities.timeoutMillis)),
  )

const unknown: ReadonlyArray<Expected> = [{ _tag: "Unknown" }]
const notSent: ReadonlyArray<Expected> = [{ _tag: "NotSent" }]
const taken: ReadonlyArray<Expected> = [{ _tag: "Accepted", gatewayId: "1" }]

/** A nack with the status of a documented rejection may also count as `Rejected`. */
const refusedOrUnknown: ReadonlyArray<Expected> = [{ _tag: "Rejected" }, { _tag: "Unknown" }]
/** Both outcomes prove that nothing has left. */
const refusedOrNotSent: ReadonlyArray<Expected> = [
  { _tag: "Rejected", reason: "account" },
  { _tag: "NotSent" },
]

type Bytes = Raw["raw"]

interface Row<R> {
  readonly title: string
  readonly expected: ReadonlyArray<Expected>
  /** A reaction, or the bytes of one. */
  readonly reply: R
  /** Whether only the timeout ends the wait. */
  readonly waits?: boolean
}

const row = <R>(title: string, expected: Row<R>["expected"], reply: R): Row<R> => ({
  title,
  expected,
  reply,
})

const waiting = <R>(title: string, expected: Row<R>["expected"], reply: R) => ({
  ...row<R>(title, expected, reply),
  waits: true,
})

const nack = (status: number) => (sequence: number) => [
  encode({ command: "generic_nack", status, sequence }),
]

/** Outcomes of a message without a bind. Nothing of it was sent. */
const binds: ReadonlyArray<Row<BindReply | Bytes>> = [
  row("a bind that is reset", notSent, "reset"),
  row("a bind that is hung up on", notSent, "hang up"),
  waiting("a bind without an answer", notSent, "silence"),
  row("most of an answer to the bind, and a reset", notSent, {
    raw: (sequence) => begun(bindAnswer(sequence)),
    end: "reset",
  }),
  waiting("most of an answer to the bind, and nothing more", notSent, (sequence) =>
    begun(bindAnswer(sequence)),
  ),
  row("garbage for an answer to the bind", notSent, () => [garbage]),
  waiting("the answer to another bind", notSent, (sequence) => [bindAnswer(sequence + 1)]),
  row("a nack of the bind", refusedOrNotSent, nack(0x03)),
  row("a nack of the bind without a reason", notSent, nack(0)),
  row("a wrong password", [{ _tag: "Rejected", reason: "account" }], 0x0e),
  row("an unknown system_id", [{ _tag: "Rejected", reason: "account" }], 0x0f),
  row("a bind that failed", refusedOrNotSent, 0x0d),
  row("a bind that is one too many", refusedOrNotSent, 0x05),
  row("a bind that is throttled", [{ _tag: "Throttled" }, { _tag: "NotSent" }], 0x58),
  row("a bind that fails for no reason", notSent, 0x08),
]

/** Outcomes of a message after it was sent. */
const submits: ReadonlyArray<Row<Reply | Bytes>> = [
  row("a reset before the answer", unknown, "reset"),
  row("a connection that ends before the answer", unknown, "hang up"),
  row("an answer that breaks off", unknown, {
    raw: (sequence) => begun(answer(sequence)),
    end: "reset",
  }),
  waiting("an answer that never ends", unknown, (sequence) => begun(answer(sequence))),
  row("an unbind instead of an answer", unknown, (sequence) => [bare("unbind", sequence)]),
  row("success without an id", unknown, { id: "" }),
  row("success without a body", unknown, (sequence) => [frame(submitAnswerId, 0, sequence)]),
  row("a refusal that names an id", [{ _tag: "Rejected", reason: "recipient" }], {
    status: 0x0b,
    refusedId: "1",
  }),
  row("a refusal without a body", [{ _tag: "Rejected", reason: "recipient" }], (sequence) => [
    frame(submitAnswerId, 0x0b, sequence),
  ]),
  waiting("an answer whose id has no end", unknown, (sequence) => [
    frame(submitAnswerId, 0, sequence, Buffer.from("1")),
  ]),
  waiting("an answer that says to be longer than it is", unknown, (sequence) => [
    ofLength(answer(sequence), 40),
  ]),
  waiting("an answer that says to be shorter than it is", unknown, (sequence) => [
    ofLength(answer(sequence), 17),
  ]),
  ...[0, 15, 0x7fffffff, 0xffffffff].map((length) =>
    waiting(`an answer that says to be of ${length} octets`, unknown, (sequence: number) => [
      ofLength(answer(sequence), length),
    ]),
  ),
  waiting("garbage for an answer", unknown, () => [garbage]),
  waiting("an answer of an unknown kind", unknown, (sequence) => [
    frame(unknownAnswerId, 0, sequence, Buffer.from("1\0")),
  ]),
  waiting("the answer to a request of another kind", unknown, (sequence) => [
    encode({ command: "enquire_link_resp", status: 0, sequence }),
  ]),
  waiting("the answer to another message", unknown, (sequence) => [answer(sequence + 1)]),
  row("a nack with a reason", refusedOrUnknown, nack(0x03)),
  waiting("a nack without a reason", unknown, nack(0)),
  waiting("a nack of nothing that was asked", unknown, () => nack(0x02)(0)),
  row("an answer that dribbles in", taken, (sequence) => octets(answer(sequence))),
  row("an answer behind a question", taken, (sequence) => [
    Buffer.concat([bare("enquire_link", 7), answer(sequence)]),
  ]),
  row("an answer behind an unknown request", taken, (sequence) => [
    Buffer.concat([frame(unknownRequestId, 0, 7, Buffer.alloc(40, 1)), answer(sequence)]),
  ]),
  row("an answer with garbage behind it", taken, (sequence) => [
    Buffer.concat([answer(sequence), ofLength(garbage, 3)]),
  ]),
  row("an answer and a reset behind it", [...taken, ...unknown], {
    raw: (sequence) => [answer(sequence)],
    end: "reset",
  }),
  row("an answer and its opposite", taken, (sequence) => [
    Buffer.concat([answer(sequence), answer(sequence, "2", 0x0b)]),
  ]),
]

const madeOf = <R extends BindReply | Reply>(reply: R | Bytes): R | Raw =>
  typeof reply === "function" ? { raw: reply } : reply

const words = (expected: ReadonlyArray<Expected>): string =>
  expected.map(({ _tag }) => _tag).join(" or ")

/** Tests the outcomes of failures between an adapter and a centre. */
export const centreFailures = (
  staged: Staged,
  accepted: Play,
  hasTls: boolean,
): ReadonlyArray<Play> => {
  const play = (
    { expected, title, waits }: Omit<Row<never>, "reply">,
    reached: number,
    conduct: (smsc: Smsc) => unknown,
    setting: Setting = {},
  ): Play => ({
    ...accepted,
    title: `takes ${title} as ${words(expected)}`,
    expected,
    reached,
    stage: staged(conduct, setting),
    meanwhile: waits === true ? untilTimeOut : undefined,
  })
  const nothing = () => {}
  return [
    play({ title: "a connection that is refused", expected: notSent }, 0, nothing, {
      isGone: true,
    }),
    ...(["reset", "hang up"] as const).map((end) =>
      play({ title: `a connection whose first word is "${end}"`, expected: notSent }, 0, (smsc) => {
        smsc.onConnect = () => end
      }),
    ),
    ...(hasTls
      ? [
          play(
            { title: "a certificate that no authority vouches for", expected: notSent },
            0,
            nothing,
            { tls: true },
          ),
        ]
      : []),
    ...binds.map((row) =>
      play(row, 0, (smsc) => (smsc.onBind = () => madeOf(row.reply)), { arrivesAs: "bind" }),
    ),
    ...submits.map((row) => play(row, 1, (smsc) => (smsc.onSubmit = () => madeOf(row.reply)))),
    play({ title: "a bind whose answer dribbles in", expected: taken }, 1, (smsc) => {
      smsc.onBind = ({ command }) => ({
        raw: (sequence) =>
          octets(encode({ command: `${command}_resp`, systemId: "centre", status: 0, sequence })),
      })
    }),
  ]
}
