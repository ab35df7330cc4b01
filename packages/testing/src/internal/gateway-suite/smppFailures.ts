import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { BindReply, Reply, Smsc } from "../../Smsc.ts"
import { encode, frame, type Pdu } from "../smsc/pdu.ts"
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

interface Row {
  readonly title: string
  readonly expected: ReadonlyArray<Expected>
  /** Whether only the timeout ends the wait. */
  readonly waits?: boolean
}

interface BindRow extends Row {
  readonly reply: BindReply
}

const raw = (make: (sequence: number) => ReadonlyArray<Uint8Array>, end?: "hang up" | "reset") => ({
  raw: make,
  end,
})

const nack = (status: number) => (sequence: number) => [
  encode({ command: "generic_nack", status, sequence } satisfies Pdu),
]

/** Outcomes of a message without a bind. Nothing of it was sent. */
const binds: ReadonlyArray<BindRow> = [
  { title: "a bind that is reset", expected: notSent, reply: "reset" },
  { title: "a bind that is hung up on", expected: notSent, reply: "hang up" },
  { title: "a bind without an answer", expected: notSent, reply: "silence", waits: true },
  {
    title: "most of an answer to the bind, and a reset",
    expected: notSent,
    reply: raw((sequence) => begun(bindAnswer(sequence)), "reset"),
  },
  {
    title: "most of an answer to the bind, and nothing more",
    expected: notSent,
    reply: raw((sequence) => begun(bindAnswer(sequence))),
    waits: true,
  },
  { title: "garbage for an answer to the bind", expected: notSent, reply: raw(() => [garbage]) },
  {
    title: "the answer to another bind",
    expected: notSent,
    reply: raw((sequence) => [bindAnswer(sequence + 1)]),
    waits: true,
  },
  { title: "a nack of the bind", expected: refusedOrNotSent, reply: raw(nack(0x03)) },
  { title: "a nack of the bind without a reason", expected: notSent, reply: raw(nack(0)) },
  { title: "a wrong password", expected: [{ _tag: "Rejected", reason: "account" }], reply: 0x0e },
  {
    title: "an unknown system_id",
    expected: [{ _tag: "Rejected", reason: "account" }],
    reply: 0x0f,
  },
  { title: "a bind that failed", expected: refusedOrNotSent, reply: 0x0d },
  { title: "a bind that is one too many", expected: refusedOrNotSent, reply: 0x05 },
  {
    title: "a bind that is throttled",
    expected: [{ _tag: "Throttled" }, { _tag: "NotSent" }],
    reply: 0x58,
  },
  { title: "a bind that fails for no reason", expected: notSent, reply: 0x08 },
]

interface SubmitRow extends Row {
  readonly reply: Reply
}

/** Outcomes of a message after it was sent. */
const submits: ReadonlyArray<SubmitRow> = [
  { title: "a reset before the answer", expected: unknown, reply: "reset" },
  { title: "a connection that ends before the answer", expected: unknown, reply: "hang up" },
  {
    title: "an answer that breaks off",
    expected: unknown,
    reply: raw((sequence) => begun(answer(sequence)), "reset"),
  },
  {
    title: "an answer that never ends",
    expected: unknown,
    reply: raw((sequence) => begun(answer(sequence))),
    waits: true,
  },
  {
    title: "an unbind instead of an answer",
    expected: unknown,
    reply: raw((sequence) => [bare("unbind", sequence)]),
  },
  { title: "success without an id", expected: unknown, reply: { id: "" } },
  {
    title: "success without a body",
    expected: unknown,
    reply: raw((sequence) => [frame(submitAnswerId, 0, sequence)]),
  },
  {
    title: "a refusal that names an id",
    expected: [{ _tag: "Rejected", reason: "recipient" }],
    reply: { status: 0x0b, refusedId: "1" },
  },
  {
    title: "a refusal without a body",
    expected: [{ _tag: "Rejected", reason: "recipient" }],
    reply: raw((sequence) => [frame(submitAnswerId, 0x0b, sequence)]),
  },
  {
    title: "an answer whose id has no end",
    expected: unknown,
    reply: raw((sequence) => [frame(submitAnswerId, 0, sequence, Buffer.from("1"))]),
    waits: true,
  },
  {
    title: "an answer that says to be longer than it is",
    expected: unknown,
    reply: raw((sequence) => [ofLength(answer(sequence), 40)]),
    waits: true,
  },
  {
    title: "an answer that says to be shorter than it is",
    expected: unknown,
    reply: raw((sequence) => [ofLength(answer(sequence), 17)]),
    waits: true,
  },
  ...[0, 15, 0x7fffffff, 0xffffffff].map((length) => ({
    title: `an answer that says to be of ${length} octets`,
    expected: unknown,
    reply: raw((sequence) => [ofLength(answer(sequence), length)]),
    waits: true,
  })),
  { title: "garbage for an answer", expected: unknown, reply: raw(() => [garbage]), waits: true },
  {
    title: "an answer of an unknown kind",
    expected: unknown,
    reply: raw((sequence) => [frame(unknownAnswerId, 0, sequence, Buffer.from("1\0"))]),
    waits: true,
  },
  {
    title: "the answer to a request of another kind",
    expected: unknown,
    reply: raw((sequence) => [encode({ command: "enquire_link_resp", status: 0, sequence })]),
    waits: true,
  },
  {
    title: "the answer to another message",
    expected: unknown,
    reply: raw((sequence) => [answer(sequence + 1)]),
    waits: true,
  },
  { title: "a nack with a reason", expected: refusedOrUnknown, reply: raw(nack(0x03)) },
  { title: "a nack without a reason", expected: unknown, reply: raw(nack(0)), waits: true },
  {
    title: "a nack of nothing that was asked",
    expected: unknown,
    reply: raw(() => nack(0x02)(0)),
    waits: true,
  },
  {
    title: "an answer that dribbles in",
    expected: taken,
    reply: raw((sequence) => octets(answer(sequence))),
  },
  {
    title: "an answer behind a question",
    expected: taken,
    reply: raw((sequence) => [Buffer.concat([bare("enquire_link", 7), answer(sequence)])]),
  },
  {
    title: "an answer behind an unknown request",
    expected: taken,
    reply: raw((sequence) => [
      Buffer.concat([frame(unknownRequestId, 0, 7, Buffer.alloc(40, 1)), answer(sequence)]),
    ]),
  },
  {
    title: "an answer with garbage behind it",
    expected: taken,
    reply: raw((sequence) => [Buffer.concat([answer(sequence), ofLength(garbage, 3)])]),
  },
  {
    title: "an answer and a reset behind it",
    expected: [...taken, ...unknown],
    reply: raw((sequence) => [answer(sequence)], "reset"),
  },
  {
    title: "an answer and its opposite",
    expected: taken,
    reply: raw((sequence) => [Buffer.concat([answer(sequence), answer(sequence, "2", 0x0b)])]),
  },
]

const words = (expected: ReadonlyArray<Expected>): string =>
  expected.map(({ _tag }) => _tag).join(" or ")

/** Tests the outcomes of failures between an adapter and a centre. */
export const centreFailures = (
  staged: Staged,
  accepted: Play,
  hasTls: boolean,
): ReadonlyArray<Play> => {
  const play = (
    { expected, title, waits }: Row,
    reached: number,
    conduct: (smsc: Smsc) => void,
    setting: Setting = {},
  ): Play => ({
    ...accepted,
    title: `takes ${title} as ${words(expected)}`,
    expected,
    reached,
    stage: staged(conduct, setting),
    meanwhile: waits === true ? untilTimeOut : undefined,
  })
  const nothing = (): void => {}
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
            {
              tls: true,
            },
          ),
        ]
      : []),
    ...binds.map((row) =>
      play(
        row,
        0,
        (smsc) => {
          smsc.onBind = () => row.reply
        },
        { arrivesAs: "bind" },
      ),
    ),
    ...submits.map((row) =>
      play(row, 1, (smsc) => {
        smsc.onSubmit = () => row.reply
      }),
    ),
    play({ title: "a bind whose answer dribbles in", expected: taken }, 1, (smsc) => {
      smsc.onBind = ({ command }) =>
        raw((sequence) =>
          octets(encode({ command: `${command}_resp`, systemId: "centre", status: 0, sequence })),
        )
    }),
  ]
}
