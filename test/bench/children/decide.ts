/**
 * Decisions a second, with nothing around them. Two ways:
 *
 * - alone: a history is recorded once (rows, command, time), then its decisions are made again and again.
 *   They are pure, so that is the same work each time, and nothing but `Decision.view` and
 *   `Decision.decide` is in the loop.
 * - living: the decisions' writes are put into maps, as the memory store does; the plain rules do the same
 *   history on objects of their own that change in place.
 */
import type * as Account from "@countersign/core/domain/Account"
import * as Decision from "@countersign/core/decide/Decision"
import { defaults } from "@countersign/core/domain/Limits"
import { limitsOf, type WindowLimit } from "@countersign/core/domain/SlidingWindow"
import type { Message } from "@countersign/core/domain/Message"
import type { Recipient } from "@countersign/core/domain/Recipient"
import type { PrefixStats } from "@countersign/core/domain/PrefixStats"
import type { Verification } from "@countersign/core/domain/Verification"
import { PlainCore } from "../baselines/plainCore.ts"
import { answer, inputOf } from "./child.ts"
import {
  type Asked,
  askedFor,
  charge,
  funds,
  LiveRows,
  plainRequestOf,
  type Step,
  steps,
} from "./history.ts"

export interface DecideInput {
  /** Requests in the history that is lived; each is four decisions. */
  readonly requests: number
  /** How many of them are recorded and decided again and again. */
  readonly recorded: number
  /** How long each loop over the recorded ones runs. */
  readonly millis: number
  readonly rounds: number
  /** `default`: the engine's own; `lifted`: no windows; `full`: a window of checks that holds 1,000. */
  readonly limits: "default" | "lifted" | "full"
}

/** Decisions a second in each round. */
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
  // Two checks in seven seconds: an hour holds 1,000 of them, and only just.
  ...(kind === "full" ? { checksPerOrganization: { max: 1_000, windowMillis: 3_496_500 } } : {}),
}

/** What a decision saw, kept so that it can be made again. */
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
  prefixStats(): PrefixStats | undefined {
    return this.#view.prefixStats
  }
}

interface Frame extends Asked {
  readonly rows: Decision.Rows
}

const asked = Array.from({ length: requests }, (_, rank) => askedFor(rank, limits)).flat()

const expected: Record<Step, string> = {
  RequestVerification: "Requested",
  RecordDispatch: "Recorded",
  "wrong code": "WrongCode",
  "right code": "Verified",
}

const decideOn = (rows: Decision.Rows, { at, command }: Asked) =>
  Decision.decide(Decision.view(rows, command), command, Decision.timeOf(rows.account, at))

const record = (): ReadonlyArray<Frame> => {
  const rows = new LiveRows()
  return asked.slice(0, recorded * steps.length).map((one) => {
    const seen = new Recorded(Decision.view(rows, one.command))
    const { outcome, writes } = decideOn(rows, one)
    if (outcome._tag !== expected[one.step]) {
      throw new Error(`A ${one.step} came to ${outcome._tag}`)
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
  return (asked.length / (performance.now() - started)) * 1_000
}

const living = (): void => {
  const rows = new LiveRows()
  for (const one of asked) {
    const { events, writes } = decideOn(rows, one)
    rows.apply(writes)
    sink += events.length
  }
}

const plainRequests = asked.map(({ command }) =>
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
  for (const [index, { at, command }] of asked.entries()) {
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

// Everything has run once before anything is measured, so that each loop runs the code that a service
// runs: compiled for all commands and not for one.
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
