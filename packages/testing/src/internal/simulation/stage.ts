/** The output of a history: its story, the faults and transitions that it has met, and its problems. */
import { type SimulatedNode, SimulatedWorld } from "../../SimulatedWorld.ts"

export class Stage {
  readonly world: SimulatedWorld
  /** How often each fault, transition and error was met. */
  readonly met = new Map<string, number>()
  readonly problems: Array<string> = []
  readonly #story: Array<string> = []
  readonly #began: number

  constructor(seed: number, now: number) {
    this.world = new SimulatedWorld(seed, now)
    this.#began = now
  }

  get story(): ReadonlyArray<string> {
    return this.#story
  }

  meet(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1)
  }

  /** Adds a line to the story and to the trace. */
  tell(text: string): void {
    this.world.note(text)
    this.#story.push(`${((this.world.now - this.#began) / 1_000).toFixed(3)} s: ${text}`)
  }

  /** Records that something does not hold. */
  fail(problem: string): void {
    this.tell(`VIOLATED ${problem}`)
    this.problems.push(problem)
  }

  /** Milliseconds that something travels: mostly none, seldom more than a second. */
  latency(): number {
    const kind = this.world.below(10)
    if (kind < 6) return 0
    return kind < 9 ? this.world.below(20) : this.world.below(1_500)
  }
}

/** Longer than the lease of any dispatch, in milliseconds. */
export const longStop = 40_000

/** Stops a node for some time. */
export const stop = (stage: Stage, node: SimulatedNode, millis: number): void => {
  stage.meet("fault: a node is paused")
  stage.tell(`${node.name} stops for ${millis} ms`)
  node.pause()
  stage.world.after(millis, () => node.resume())
}
