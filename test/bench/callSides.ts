/** Engines with different options, each in a process of its own, that make the same calls in turns. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { RecordingInput, Turn } from "./children/recording.ts"
import type { Context, Figure } from "./Measurement.ts"
import { inRounds } from "./sides.ts"
import { familyMillis } from "./services/processTimes.ts"
import { freshDatabase } from "./services/Service.ts"
import { median, range } from "./stats.ts"

const sizes = {
  full: { turns: 10, count: 1_200, warmUp: 3_000 },
  quick: { turns: 1, count: 64, warmUp: 64 },
}

export const kinds: ReadonlyArray<Turn["kind"]> = ["send", "check", "message"]

/** Microseconds of Node and PostgreSQL for each call, by turn. */
const nothingSpent = (): Record<Turn["kind"], Array<number>> => ({
  send: [],
  check: [],
  message: [],
})

export interface CallSide {
  readonly name: string
  readonly child: ChildProcess
  readonly spent: ReturnType<typeof nothingSpent>
}

const runTurn = async (
  side: CallSide,
  turn: Turn,
  postgres: number | undefined,
): Promise<number> => {
  const before = postgres === undefined ? 0 : familyMillis(postgres)
  side.child.send(turn)
  const [node] = await once(side.child, "message")
  const after = postgres === undefined ? 0 : familyMillis(postgres)
  return Number(node) + (1_000 * (after - before)) / turn.count
}

const start = async (name: string, input: RecordingInput): Promise<CallSide> => {
  const script = join(import.meta.dirname, "children", "recording.ts")
  const child = fork(script, [JSON.stringify(input)])
  await once(child, "message")
  return { name, child, spent: nothingSpent() }
}

/** The figure of a side, as a multiple of another. `limit`: the target. */
export const figureOf = (
  side: CallSide,
  base: CallSide,
  kind: Turn["kind"],
  limit: number | undefined,
): Figure => {
  const spent = side.spent[kind]
  const ratios = spent.map((value, turn) => value / (base.spent[kind][turn] ?? Number.NaN))
  return {
    work: `a ${kind}, ${side.name}`,
    ours: `${median(spent).toFixed(0)} µs`,
    against: `${median(base.spent[kind]).toFixed(0)} µs ${base.name}`,
    ratio: median(ratios),
    spread: range(ratios),
    ...(limit !== undefined && { wanted: `≤ ${limit}×`, reached: median(ratios) <= limit }),
  }
}

/** Runs the turns of all variants. The first one is what the others are compared with. */
export const measureCalls = async (
  context: Context,
  variants: Readonly<Record<string, Omit<RecordingInput, "database" | "schema">>>,
): Promise<{ readonly sides: ReadonlyArray<CallSide>; readonly note: string }> => {
  const { count, turns, warmUp } = sizes[context.scale]
  const database = await freshDatabase(await context.postgresUrl())
  const postgres = await context.postgresPid()
  const sides: Array<CallSide> = []
  try {
    for (const [name, options] of Object.entries(variants)) {
      const schema = `side_${sides.length}`
      sides.push(await start(name, { ...options, database: database.url, schema }))
    }
    for (const side of sides) {
      for (const kind of kinds) await runTurn(side, { kind, count: warmUp }, postgres)
    }
    const rounds = await inRounds(context, async () => {
      const spent = sides.map((side) => ({ side, ...nothingSpent() }))
      for (let turn = 0; turn < turns; turn++) {
        for (const kind of kinds) {
          for (const one of turn % 2 === 0 ? spent : spent.toReversed()) {
            one[kind].push(await runTurn(one.side, { kind, count }, postgres))
          }
        }
      }
      return spent
    })
    for (const { side, ...spent } of rounds.flat()) {
      for (const kind of kinds) side.spent[kind].push(...spent[kind])
    }
    return {
      sides,
      note: `Processor time of Node and PostgreSQL for each call of the promise API, ${count.toLocaleString("en")} calls in a turn, 64 at a time, in one organization; medians of ${turns * context.rounds} turns, in which all sides run one after another. A gateway in the process accepts every message.`,
    }
  } finally {
    for (const { child } of sides) child.kill()
    await database.drop()
  }
}
