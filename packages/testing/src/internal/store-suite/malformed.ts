import * as Account from "@countersign/core/domain/money/Account"
import type { Command, CommandResult } from "@countersign/core/decide/Command"
import type { GatewayOutcome } from "@countersign/core/domain/messages/GatewayOutcome"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Rules } from "@countersign/core/domain/fraud/PrefixStats"
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Samples from "../../Samples.ts"
import {
  asked,
  atOnce,
  type Body,
  open,
  present,
  run,
  settled,
  type StoreService,
  type Test,
  times,
} from "./support.ts"

const { messageId, money, phoneNumber, requestId } = Samples

/** A valid command of one tag, and the commands that make its rows. */
interface Subject {
  /** The only malformed field; `undefined` for all fields. */
  readonly field?: string
  /** Executed in order before the command. The first one opens the message that the others are about. */
  readonly before?: ReadonlyArray<(index: number, message: number) => Command>
  /** Sets every field of its tag, optional ones included. */
  readonly command: (index: number, message: number) => Command
}

const limit = { max: 1_000, windowMillis: 60_000 }
const spendPerDay = money("100000")
/** Each phone number is its own prefix, and its first code is suspicious. */
const rules: Rules = {
  prefixDigits: 13,
  windowMillis: 60_000,
  maxSent: 0,
  minSent: 100_000,
  minConversion: 0.1,
  action: "record",
}

const request = (index: number) =>
  asked(index, { limits: { sendsPerNumber: limit, spendPerDay }, rules })

const hold = (index: number) =>
  Samples.holdMessage({
    limits: { messagesPerOrganization: limit, spendPerDay },
    // The lease and the time to settle end at once.
    draft: { id: messageId(index), leaseMillis: 0, settleMillis: 0 },
  })

const outcomes: ReadonlyArray<GatewayOutcome> = [
  { _tag: "Accepted", gatewayId: "gw-1", gateway: "simulated", segments: 1 },
  { _tag: "Delivered", gatewayId: "gw-1", gateway: "simulated", segments: 1 },
  { _tag: "Rejected", reason: "recipient", message: "barred", unreachable: false },
  { _tag: "Throttled", message: "busy", retryAfterMillis: 1_000 },
  { _tag: "Unknown", message: "silence" },
]

const settle = (index: number, message: number, outcome: GatewayOutcome) =>
  settled(message, outcome, { requestId: requestId(index), rules })

const report = (index: number, message: number) =>
  Samples.applyReport({
    messageSequence: message,
    token: messageId(index),
    status: "undelivered",
    detail: "absent",
    source: { gateway: "simulated", gatewayId: "gw-1", evidence: "{}", receivedAt: Samples.now },
  })

const unknown = (_: number, message: number) =>
  settled(message, { _tag: "Unknown", message: "silence" })

const compared = (index: number) => ({
  requestId: requestId(index),
  limits: { checksPerOrganization: limit },
  rules,
})

const subjects: Readonly<Record<string, ReadonlyArray<Subject>>> = {
  "a request for a code": [
    {
      command: (index) =>
        Samples.admitVerification({
          phoneNumber: phoneNumber(index),
          limits: { sendsPerNumber: limit },
        }),
    },
    { command: request },
    {
      before: [request],
      command: (index, message) =>
        Samples.followVerification({
          requestId: requestId(index),
          messageSequence: message,
          limits: { spendPerDay },
          rules,
          draft: { id: messageId(50_000 + index) },
        }),
    },
  ],
  "a check of a code": [
    { before: [request], command: (index) => Samples.checkCode(compared(index)) },
    { before: [request], command: (index) => Samples.verifyCode(compared(index)) },
  ],
  "a command of a message": [
    { command: () => Samples.admitMessage({ limits: { messagesPerOrganization: limit } }) },
    { command: hold },
    {
      before: [hold],
      command: (_, message) => Samples.reclaimMessage({ messageSequence: message }),
    },
    {
      before: [hold, unknown],
      command: (_, message) => Samples.beginLookup({ messageSequence: message }),
    },
    {
      before: [hold],
      command: (_, message) => Samples.closeMessage({ messageSequence: message }),
    },
  ],
  "an outcome": [
    {
      before: [request],
      command: (index, message) => settle(index, message, { _tag: "NotSent", message: "no route" }),
    },
    ...outcomes.map((outcome): Subject => ({
      field: "outcome",
      before: [request],
      command: (index, message) => settle(index, message, outcome),
    })),
  ],
  "a report": [
    { before: [hold], command: report },
    { before: [hold, report], command: report },
  ],
  "a posting": [{ command: () => Samples.topUp() }, { command: () => Samples.adjust() }],
}

/** Long, and barely compressible. */
const longText = times(20_000, (index) => ((index * index * 7_919) % 36).toString(36)).join("")

const malformations: ReadonlyArray<unknown> = [
  0.5,
  -1,
  2 ** 60,
  1n,
  Number.NaN,
  "text",
  "nul\0",
  "\ud800",
  longText,
  {},
  null,
  undefined,
]

type Path = ReadonlyArray<string>

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof Uint8Array)

/** Paths of all values in a value, at any depth. */
const pathsIn = (value: unknown): ReadonlyArray<Path> =>
  isRecord(value)
    ? Object.entries(value).flatMap(([key, inner]) => [
        [key],
        ...pathsIn(inner).map((path) => [key, ...path]),
      ])
    : []

const withValue = (command: Command, path: Path, value: unknown): Command => {
  const copy = structuredClone(command)
  let target: object = copy
  for (const key of path.slice(0, -1)) {
    const inner: unknown = Reflect.get(target, key)
    if (isRecord(inner)) target = inner
  }
  Reflect.set(target, path.at(-1) ?? "", value)
  return copy
}

const of = <C extends Command>(organization: OrganizationId, command: C): C => ({
  ...command,
  organization,
})

/** The sequence of the message that a command opened. */
const openedBy = (outcome: CommandResult): number | undefined =>
  outcome._tag === "Held" || outcome._tag === "Requested" || outcome._tag === "Followed"
    ? outcome.messageSequence
    : undefined

const openedIn = (exit: Exit.Exit<CommandResult, unknown>): number | undefined =>
  Exit.isSuccess(exit) ? openedBy(exit.value) : undefined

const others = times(3, (index) => OrganizationId(`other-${index}`))

/** Makes the rows for one command per malformation, and returns their messages. */
const prepare = Effect.fnUntraced(function* (
  store: StoreService,
  id: OrganizationId,
  steps: ReadonlyArray<Subject["command"]>,
  firstIndex: number,
) {
  let messages = malformations.map(() => 0)
  for (const step of steps) {
    const outcomes = yield* atOnce(
      store,
      messages.map((message, position) => of(id, step(firstIndex + position, message))),
    )
    messages = outcomes.map((outcome, position) => openedBy(outcome) ?? messages[position] ?? 0)
  }
  return messages
})

/** Reads the messages with these sequences, and the number of all messages. */
const readLog = Effect.fnUntraced(function* (
  store: StoreService,
  id: OrganizationId,
  numbers: ReadonlyArray<number>,
) {
  const total = present(yield* store.account(id)).lastMessage
  const first = Math.min(total, ...numbers)
  if (first === 0) return { total, rows: numbers.map(() => undefined) }
  const place = { skip: total - Math.max(...numbers), limit: malformations.length }
  const page = yield* store.messages(id, { from: undefined, to: undefined, ...place })
  return {
    total,
    rows: numbers.map((one) => page?.messages.find(({ sequence }) => sequence === one)),
  }
})

/** Executes one command per malformation at one path, concurrently and among valid commands. */
const playPath = Effect.fnUntraced(function* (
  store: StoreService,
  id: OrganizationId,
  { before = [], command }: Subject,
  path: Path,
  firstIndex: number,
) {
  const about = `${command(1, 1)._tag} ${path.join(".")}`
  const messages = yield* prepare(store, id, before, firstIndex)
  const logBefore = yield* readLog(store, id, messages)
  const malformed = messages.map((message, position) =>
    withValue(of(id, command(firstIndex + position, message)), path, malformations[position]),
  )
  const valid = [id, ...others].map((organization) => of(organization, Samples.holdMessage()))
  const exits = yield* Effect.forEach(
    [...valid, ...malformed, ...valid],
    (one) => Effect.exit(run(store, one)),
    { concurrency: "unbounded" },
  )
  const answers = [...exits.slice(0, valid.length), ...exits.slice(-valid.length)]
  assert.deepStrictEqual(
    answers.map((exit) => (Exit.isSuccess(exit) ? exit.value._tag : Cause.pretty(exit.cause))),
    answers.map(() => "Held"),
    about,
  )
  const own = [answers[0], answers[valid.length]].map((exit) => exit && openedIn(exit))
  const logAfter = yield* readLog(store, id, messages)
  for (const [position, exit] of exits.slice(valid.length, -valid.length).entries()) {
    const which = `${about}, malformation ${position}`
    if (Exit.isSuccess(exit)) continue
    assert.isTrue(Cause.hasDies(exit.cause), `${which}: ${Cause.pretty(exit.cause)}`)
    assert.deepStrictEqual(logAfter.rows[position], logBefore.rows[position], which)
  }
  const opened = exits.flatMap((exit) => openedIn(exit) ?? []).length - 2 * others.length
  assert.strictEqual(logAfter.total - logBefore.total, opened, about)
  assert.isBelow(own[0] ?? Infinity, own[1] ?? 0, about)
})

/** Checks that all rows of an organization are readable, and that its account is the fold of its ledger. */
const checkRows = Effect.fnUntraced(function* (store: StoreService, organization: OrganizationId) {
  const account = present(yield* store.account(organization))
  const entries = yield* store.entries(organization, 0, 10_000)
  assert.deepInclude(account, { ...Account.fold(entries), entries: entries.length }, organization)
  assert.deepStrictEqual(
    entries.map(({ sequence }) => sequence),
    times(entries.length, (index) => index + 1),
  )
  const page = { from: undefined, to: undefined, skip: 0, limit: 10_000 }
  const log = present(yield* store.messages(organization, page))
  assert.strictEqual(log.messages.length, account.lastMessage)
  for (const { sequence, reports, requestId } of log.messages) {
    if (requestId !== null) yield* store.verification(organization, requestId)
    if (reports > 0) yield* store.reports({ organization, sequence })
  }
  yield* store.findings(organization, 10_000)
})

/** Limits on the input of callers, which no command reads. */
const limitsOfInput: ReadonlyArray<string | undefined> = [
  "codeLength",
  "expirySeconds",
  "messageLength",
  "pageSize",
]

/** Plays all subjects, each in its own organization. */
const play = (subjects: ReadonlyArray<Subject>): Body =>
  function* (store) {
    yield* Effect.forEach(others, (other) => open(store, money("10000"), other))
    for (const [number, subject] of subjects.entries()) {
      const id = OrganizationId(`subject-${number}`)
      yield* open(store, money("10000"), id)
      let index = 1
      for (const path of pathsIn(subject.command(1, 1))) {
        if (subject.field !== undefined && path[0] !== subject.field) continue
        if (path[0] === "limits" && limitsOfInput.includes(path[1])) continue
        yield* playPath(store, id, subject, path, index)
        index += malformations.length
      }
      yield* checkRows(store, id)
    }
    yield* Effect.forEach(others, (other) => checkRows(store, other))
    yield* store.due(10_000)
  }

export const malformedSection = (test: Test): void => {
  for (const [what, all] of Object.entries(subjects)) {
    test(`${what} fails alone, with any mistake in it`, play(all))
  }
}
