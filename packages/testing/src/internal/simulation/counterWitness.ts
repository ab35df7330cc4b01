/**
 * Watches the attempts and the errors that commits record. The counters of gateways have to follow from them: no commit
 * that is made again counts twice.
 */
import type { Command, CommandResult } from "@countersign/core/decide/Command"
import { type Attempt, isAccepted } from "@countersign/core/domain/messages/GatewayOutcome"
import type { Message } from "@countersign/core/domain/messages/Message"
import { hourMillis } from "@countersign/core/domain/money/Total"
import type { SimulatedStore } from "./simulatedStore.ts"
import type { Stage } from "./stage.ts"

export class CounterWitness {
  readonly #stage: Stage
  readonly #store: SimulatedStore
  readonly #counts = new Map<string, number>()
  /** The dispatches whose outcome is recorded. */
  readonly #recorded = new Set<string>()
  readonly #gateways = new Set<string>()
  #before: Message | undefined

  constructor(stage: Stage, store: SimulatedStore) {
    this.#stage = stage
    this.#store = store
  }

  before(command: Command): void {
    this.#before = this.#messageOf(command)
  }

  after(command: Command, result: CommandResult, now: number): void {
    const before = this.#before
    const after = this.#messageOf(command)
    if (before === undefined || after === undefined) return
    if (command._tag === "RecordDispatch") {
      const { dispatchNumber, outcome } = command
      const dispatch = `${after.organization} ${after.sequence} ${dispatchNumber}`
      if (result._tag !== "Recorded" || this.#recorded.has(dispatch)) return
      this.#recorded.add(dispatch)
      // A failure after the message has got an outcome from a report, or at its deadline, is a contradiction.
      const { attempts } = outcome
      if (attempts !== undefined && (before.status === "pending" || isAccepted(outcome))) {
        return this.#tried(attempts, now)
      }
    }
    const { failureReason, gateway, status } = after
    const isNew = before.failureReason !== failureReason || before.status !== status
    if (failureReason !== null && isNew) this.#add("errors", gateway, now)
  }

  #tried(attempts: ReadonlyArray<Attempt>, now: number): void {
    for (const { failure, gateway } of attempts) {
      this.#add("answers", gateway, now)
      if (failure !== undefined) this.#add("errors", gateway, now)
    }
  }

  check(): void {
    const found = this.#store.now((store) =>
      store.counters({
        kinds: ["answers", "errors"],
        subjects: [...this.#gateways],
        from: 0,
        to: Number.MAX_SAFE_INTEGER,
        slotMillis: hourMillis,
      }),
    )
    const counted = new Map<string, number>()
    for (const { count, hour, kind, subject } of found) {
      const key = `${kind} of ${subject} in ${hour}`
      counted.set(key, (counted.get(key) ?? 0) + count)
    }
    for (const key of new Set([...counted.keys(), ...this.#counts.keys()])) {
      const [count = 0, right = 0] = [counted.get(key), this.#counts.get(key)]
      if (count !== right) this.#stage.fail(`I39: ${count} ${key}, and commits recorded ${right}`)
    }
  }

  #add(kind: "answers" | "errors", gateway: string, now: number): void {
    const key = `${kind} of ${gateway} in ${now - (now % hourMillis)}`
    this.#gateways.add(gateway)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    this.#stage.meet(`counter: ${kind}`)
  }

  #messageOf(command: Command): Message | undefined {
    if (!("messageSequence" in command)) return undefined
    const { messageSequence: sequence, organization } = command
    return this.#store.now((store) => store.message({ organization, sequence }))?.message
  }
}
