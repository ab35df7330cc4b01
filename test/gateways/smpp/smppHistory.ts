/**
 * Random histories of an engine over SMPP whose message centre fails. After each, what the centre has done with the
 * messages and what the engine has charged for them agree.
 */
import type { Message } from "@countersign/core/domain/messages/Message"
import type { Gateway } from "@countersign/core/ports/Gateway"
import { Messages } from "@countersign/core/services/Messages"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { type Reaction, reactions, startFailingCentre, type Submission } from "./failingCentre.ts"
import { balance, log, moneyProblems, node, organization, settle } from "./node.ts"
import { gatewayOn, turns, whileTimePasses } from "./support.ts"

interface Options {
  /** Decides the messages, their times, and the reactions of the centre. */
  readonly seed: number
  /** A mistake in the way to the centre, which the check has to find. */
  readonly mistake?: (gateway: Gateway["Service"]) => Gateway["Service"]
}

type Counts = Readonly<Record<string, number>>

const messageCount = 30
const window = 5
const maxQueued = 6
/** The messages begin within this time. More of them wait than the queue has room for. */
const beginMillis = 30_000

interface Plan {
  readonly parts: 1 | 2
  readonly startMillis: number
  readonly reactions: ReadonlyArray<Reaction>
}

const plansOf = (seed: number): ReadonlyArray<Plan> => {
  const bytes = TestCrypto.seededBytes(seed)
  const below = (limit: number): number => {
    const [high = 0, low = 0] = bytes(2)
    return (high * 256 + low) % limit
  }
  const total = reactions.reduce((sum, [, weight]) => sum + weight, 0)
  const reaction = (): Reaction => {
    let left = below(total)
    for (const [name, weight] of reactions) {
      if (left < weight) return name
      left -= weight
    }
    return "delivered"
  }
  return Array.from({ length: messageCount }, () => ({
    parts: below(4) === 0 ? 2 : 1,
    startMillis: below(beginMillis),
    reactions: [reaction(), reaction()],
  }))
}

/** The number of letters of one part of a long text. */
const partLength = 153

const textOf = (message: number, parts: number): string =>
  parts === 1
    ? `#${message}/1 hello`
    : `#${message}/1 `.padEnd(partLength, "a") + `#${message}/2 `.padEnd(partLength, "b")

/** The hold of a message, as the centre's journal demands it; `undefined` if an answer may have been lost. */
const expectedHold = (
  submissions: ReadonlyArray<Submission>,
  parts: number,
): "captured" | "released" | undefined => {
  const accepted = submissions.filter(({ id }) => id !== undefined)
  // A part that did not arrive, or whose answer was never written: no receipt can make the text whole.
  if (accepted.length < parts || accepted.some(({ answer }) => answer === "none")) return "released"
  if (accepted.some(({ state }) => state === "UNDELIV")) return "released"
  return accepted.every(({ answer }) => answer === "read") ? "captured" : undefined
}

/** What the two sides disagree about for one message. */
const problemsOf = (
  number: number,
  { parts }: Plan,
  submissions: ReadonlyArray<Submission>,
  row: Message | undefined,
): ReadonlyArray<string> => {
  if (row === undefined) return [`message ${number} is not in the log`]
  const found: Array<string> = []
  for (const [part, tries] of Map.groupBy(submissions, (one) => one.part)) {
    // A part that was throttled was not accepted, and its client may try it again.
    if (tries.slice(0, -1).some(({ reaction }) => reaction !== "throttled")) {
      found.push(`part ${part} of message ${number} was submitted ${tries.length} times`)
    }
  }
  const expected = expectedHold(submissions, parts)
  if (row.dueAt !== null) found.push(`message ${number} is ${row.status} and not final`)
  if (expected !== undefined && row.hold !== expected) {
    found.push(`the hold of message ${number} is ${row.hold}, and has to be ${expected}`)
  }
  return found
}

const storyOf = (journal: ReadonlyArray<Submission>): string =>
  journal
    .map(({ answer, epoch, message, part, reaction }) =>
      [`#${message}/${part}`, reaction, `answer ${answer}`, `epoch ${epoch}`].join(", "),
    )
    .join("\n")

const sum = (values: ReadonlyArray<boolean>): number => values.filter(Boolean).length

/** Each lost connection would be a line. */
const quiet = Logger.layer([])

/** Plays one history, and returns what happened in it. Dies where the two sides disagree. */
export const playHistory = Effect.fnUntraced(function* ({ mistake, seed }: Options) {
  const plans = plansOf(seed)
  const bind = seed % 2 === 0 ? "transceiver" : "pair"
  const centre = yield* startFailingCentre({
    binds: bind === "pair" ? 2 : 1,
    planned: (message, part) => plans[message]?.reactions[part - 1] ?? "delivered",
  })
  const adapterScope = yield* Scope.make()
  const adapter = yield* Scope.provide(
    gatewayOn(centre.port, { bind, window, maxQueued }).pipe(Effect.provide(quiet)),
    adapterScope,
  )
  yield* Effect.addFinalizer(() => Scope.close(adapterScope, Exit.void))

  const history = Effect.gen(function* () {
    yield* TestEngine.open({ balance })
    const messages = yield* Messages
    const submissionsOf = (number: number) =>
      centre.journal.filter(({ message }) => message === number)
    const send = (number: number, parts: number) =>
      Effect.exit(
        messages.send({ organization, phoneNumber: "+8801712345678", text: textOf(number, parts) }),
      )
    const sendAll = Effect.forEach(
      plans,
      ({ parts, startMillis }, number) =>
        Effect.delay(send(number, parts), Duration.millis(startMillis)),
      { concurrency: "unbounded" },
    )
    yield* whileTimePasses(
      Effect.all([Effect.andThen(sendAll, centre.finish), centre.play], {
        concurrency: "unbounded",
      }),
      stepMillis,
    )
    yield* whileTimePasses(centre.reportAgain, stepMillis)
    // Its receipt is the last: when this message has arrived, the adapter has read all others.
    yield* whileTimePasses(send(messageCount, 1), stepMillis)
    const isReported = Effect.map(log, (rows) =>
      [...plans.keys(), messageCount].every((number) => {
        const expected = expectedHold(submissionsOf(number), plans[number]?.parts ?? 1)
        return expected !== "captured" || rows.get(number)?.hold === "captured"
      }),
    )
    for (let turn = 0; turn < reportTurns && !(yield* isReported); turn++) yield* turns(1)
    yield* whileTimePasses(Scope.close(adapterScope, Exit.void), stepMillis)
    yield* settle

    const rows = yield* log
    const problems = plans.flatMap((plan, number) =>
      problemsOf(number, plan, submissionsOf(number), rows.get(number)),
    )
    problems.push(...(yield* moneyProblems))
    if (problems.length > 0) {
      const story = storyOf(centre.journal)
      return yield* Effect.die(new Error(`Seed ${seed}:\n${problems.join("\n")}\n\n${story}`))
    }
    return countsOf(centre.journal, [...rows.values()], plans, submissionsOf)
  })
  return yield* history.pipe(
    Effect.provide(node(mistake?.(adapter) ?? adapter, seed)),
    Effect.provide(quiet),
    Effect.orDie,
  )
})

/** The clock goes on in steps of this length while sockets do their work. */
const stepMillis = 500

/** Turns of the event loop within which the engine has applied the reports that it has. */
const reportTurns = 2_000

const countsOf = (
  journal: ReadonlyArray<Submission>,
  rows: ReadonlyArray<Message>,
  plans: ReadonlyArray<Plan>,
  submissionsOf: (number: number) => ReadonlyArray<Submission>,
): Counts => {
  const accepted = plans.map(({ parts }, number) => {
    const taken = submissionsOf(number).filter(({ id }) => id !== undefined)
    return {
      isWhole: taken.length === parts,
      isLost: taken.some(({ answer }) => answer === "none"),
    }
  })
  return {
    messages: rows.length,
    captured: sum(rows.map(({ hold }) => hold === "captured")),
    refunded: sum(rows.map(({ hold }) => hold === "released")),
    "accepted by the centre": sum(accepted.map(({ isWhole }) => isWhole)) + 1,
    "accepted, but the answer was never written": sum(
      accepted.map(({ isLost, isWhole }) => isWhole && isLost),
    ),
    "accepted, and the answer may be lost": sum(
      plans.map(({ parts }, number) => expectedHold(submissionsOf(number), parts) === undefined),
    ),
    "never seen by the centre": sum(plans.map((_, number) => submissionsOf(number).length === 0)),
    "turned away by a full queue": sum(rows.map(({ error }) => error === queueFull)),
    ...Object.fromEntries(
      reactions.map(([name]) => [name, sum(journal.map(({ reaction }) => reaction === name))]),
    ),
  }
}

const queueFull = "Too many messages wait for the gateway"
