/**
 * Measures the decisions per second without services and stores, in two ways:
 *
 * - alone: records a history once (rows, command, time), then repeats its decisions. They are pure, so each
 *   repeat is the same work, and the loop contains only `Decision.view` and `Decision.decide`.
 * - living: writes the results of the decisions to maps, as the memory store does. The plain rules run the
 *   same history on their own mutable objects.
 */
import type * as Account from "@countersign/core/domain/money/Account"
import * as Decision from "@countersign/core/decide/Decision"
import { defaults } from "@countersign/core/domain/limits/Limits"
import * as Records from "@countersign/core/domain/organizations/RecordOptions"
import { limitsOf, type WindowLimit } from "@countersign/core/domain/limits/SlidingWindow"
import type { Message } from "@countersign/core/domain/messages/Message"
import type { Recipient } from "@countersign/core/domain/verifications/Recipient"
import type { PrefixStats } from "@countersign/core/domain/fraud/PrefixStats"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import { PlainCore } from "../baselines/plainCore.ts"
import { answer, inputOf } from "./child.ts"
import {
  type TimedCommand,
  commandsOf,
  charge,
  funds,
  LiveRows,
  plainRequestOf,
  type Step,
  steps,
} from "./history.ts"

export interface DecideInput {
  /** Number of requests in the living history, each with four decisions. */
  readonly requests: number
  /** Number of recorded requests, whose decisions are repeated. */
  readonly recorded: number
  /** Duration of each loop over the recorded requests. */
  readonly millis: number
  readonly rounds: number
  /** `default`: the limits of the engine; `lifted`: no windows; `full`: a window of 1,000 checks. */
  readonly limits: "default" | "lifted" | "full"
}

/** Decisions per second in each round. */
export interface DecideResult {
  readonly alone: Readonly<Record<Step | "mix", ReadonlyArray<number>>>
  readonly living: ReadonlyArray<number>
  readonly plain: ReadonlyArray<number>
}

const { limits: kind, millis, recorded, requests, rounds } = inputOf<DecideInput>()

const limits = {
  ...defaults,
  ...(kind === "default" ? {} : { sendsPerNumber: undefined, pendingPerNumber: 1_000 }),
  ...(kind === "lifted" ? { checksPerOrganization: undefined } : {}),
  // Two checks in seven seconds, so that an hour has just over 1,000 of them.
  ...(kind === "full" ? { checksPerOrganization: { max: 1_000, windowMillis: 3_496_500 } } : {}),
}

/** The input of a decision, recorded to repeat it. */
class Recorded implements Decision.Rows {
  readonly account: Account.Account | undefined
  readonly #view: Decision.View

  constructor(view: Decision.View) {
    this.account = view.account
    this.#view = view
  }

  recipient(): Recipient | undefined {
    return this.#view.recipient
  }
  verification(): Verification | undefined {
    return this.#view.verification
  }
  message(): Message | undefined {
    return this.#view.message
  }
  payment(): Account.Entry | undefined {
    return this.#view.payment
  }
  idempotencyKey() {
    return this.#view.idempotencyKey
  }
  prefixStats(): PrefixStats | undefined {
    return this.#view.prefixStats
  }
  client(): undefined {}
  webhook(): undefined {}
  erasedRecipient(): undefined {}
  queued(): undefined {}
  optOut(): undefined {}
  batch(): undefined {}
  alerts(): undefined {}
}

interface Frame extends TimedCommand {
  readonly rows: Decision.Rows
}

const commands = Array.from({ length: requests }, (_, rank) => commandsOf(rank, limits)).flat()

const expected: Record<Step, string> = {
  RequestVerification: "Requested",
  RecordDispatch: "Recorded",
  "wrong code": "WrongCode",
  "right code": "Verified",
}

const decideOn = (rows: Decision.Rows, { at, command }: TimedCommand) =>
  Decision.decide(
    Decision.view(rows, command),
    command,
    Decision.timeOf(rows.account, at),
    Records.defaults,
  )

const record = (): ReadonlyArray<Frame> => {
  const rows = new LiveRows()
  return commands.slice(0, recorded * steps.length).map((one) => {
    const seen = new Recorded(Decision.view(rows, one.command))
    const { result, writes } = decideOn(rows, one)
    if (result._tag !== expected[one.step]) {
      throw new Error(`A ${one.step} came to ${result._tag}`)
    }
    rows.apply(writes)
    return { ...one, rows: seen }
  })
}

/** Prevents the engine from removing a decision as unused. */
let sink = 0

const repeat = (some: ReadonlyArray<Frame>): number => {
  let decisions = 0
  const started = performance.now()
  while (performance.now() - started < millis) {
    for (const frame of some) sink += decideOn(frame.rows, frame).events.length
    decisions += some.length
  }
  return (decisions / (performance.now() - started)) * 1_000
}

const perSecond = (run: () => void): number => {
  globalThis.gc?.()
  const started = performance.now()
  run()
  return (commands.length / (performance.now() - started)) * 1_000
}

const living = (): void => {
  const rows = new LiveRows()
  for (const one of commands) {
    const { events, writes } = decideOn(rows, one)
    rows.apply(writes)
    sink += events.length
  }
}

const plainRequests = commands.map(({ command }) =>
  command._tag === "RequestVerification" ? plainRequestOf(command) : undefined,
)

/** The plain rules know one limit for a window. */
const first = (limit: WindowLimit | undefined) => limit && limitsOf(limit)[0]

const plainLimits = {
  ...limits,
  sendsPerNumber: first(limits.sendsPerNumber),
  checksPerOrganization: first(limits.checksPerOrganization),
}

const plain = (): void => {
  const core = new PlainCore(funds, plainLimits)
  for (const [index, { at, command }] of commands.entries()) {
    const request = plainRequests[index]
    if (request !== undefined) {
      sink += core.request(request, at).status.length
    } else if (command._tag === "RecordDispatch" && command.outcome._tag === "Delivered") {
      const { gatewayId } = command.outcome
      sink +=
        core.settle(command.messageSequence, 1, { status: "delivered", gatewayId }, at)?.number ?? 0
    } else if (command._tag === "CheckCode") {
      const [candidate] = command.candidates
      if (candidate !== undefined)
        sink += core.check(command.requestId, candidate.digest, at).status.length
    }
  }
  if (core.balance !== funds - charge * requests) throw new Error("The plain rules have lost money")
}

const frames = record()
const only = (step: Step): ReadonlyArray<Frame> => frames.filter((frame) => frame.step === step)
const loops: Readonly<Record<Step | "mix", ReadonlyArray<Frame>>> = {
  mix: frames,
  RequestVerification: only("RequestVerification"),
  RecordDispatch: only("RecordDispatch"),
  "wrong code": only("wrong code"),
  "right code": only("right code"),
}
const alone: Record<Step | "mix", Array<number>> = {
  mix: [],
  RequestVerification: [],
  RecordDispatch: [],
  "wrong code": [],
  "right code": [],
}

// Runs everything once before measuring, so that each loop runs the code of a service, which is compiled for
// all commands and not for one.
const names = ["mix", ...steps] as const
for (const name of names) repeat(loops[name])
living()
plain()

const livingRounds: Array<number> = []
const plainRounds: Array<number> = []
for (let round = 0; round < rounds; round += 1) {
  for (const name of names) alone[name].push(repeat(loops[name]))
  livingRounds.push(perSecond(living))
  plainRounds.push(perSecond(plain))
}
if (sink === 0) throw new Error("Nothing was decided")
const result: DecideResult = { alone, living: livingRounds, plain: plainRounds }
answer(result)
