/** What each record of the engine costs a send, a check and a message, in processor time. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { RecordingInput, Turn } from "../children/recording.ts"
import type { Context, Figure, Measurement, Report } from "../Measurement.ts"
import { inRounds } from "../sides.ts"
import { familyMillis } from "../services/processTimes.ts"
import { freshDatabase } from "../services/Service.ts"
import { median, range } from "../stats.ts"

const none = { events: false, totals: false, audit: false }

/** The first one is what the others are compared with. */
const variants = {
  "nothing recorded": { records: none },
  "the event log": { records: { ...none, events: true } },
  totals: { records: { ...none, totals: true } },
  "events, totals and the audit (default)": {},
  "the default, without texts of messages": { records: { bodies: false } },
  "the default, with encrypted numbers": { phoneNumberSecret: "n".repeat(32) },
} satisfies Readonly<Record<string, Pick<RecordingInput, "records" | "phoneNumberSecret">>>

const sizes = {
  full: { turns: 10, count: 1_200, warmUp: 3_000 },
  quick: { turns: 1, count: 64, warmUp: 64 },
}

const kinds: ReadonlyArray<Turn["kind"]> = ["send", "check", "message"]

/** Microseconds of Node and PostgreSQL for each call, by turn. */
const nothingSpent = (): Record<Turn["kind"], Array<number>> => ({
  send: [],
  check: [],
  message: [],
})

interface Side {
  readonly name: string
  readonly child: ChildProcess
  readonly spent: ReturnType<typeof nothingSpent>
}

const runTurn = async (side: Side, turn: Turn, postgres: number | undefined): Promise<number> => {
  const before = postgres === undefined ? 0 : familyMillis(postgres)
  side.child.send(turn)
  const [node] = await once(side.child, "message")
  const after = postgres === undefined ? 0 : familyMillis(postgres)
  return Number(node) + (1_000 * (after - before)) / turn.count
}

const start = async (name: string, input: RecordingInput): Promise<Side> => {
  const script = join(import.meta.dirname, "..", "children", "recording.ts")
  const child = fork(script, [JSON.stringify(input)])
  await once(child, "message")
  return { name, child, spent: nothingSpent() }
}

const figureOf = (side: Side, base: Side, kind: Turn["kind"]): Figure => {
  const spent = side.spent[kind]
  const ratios = spent.map((value, turn) => value / (base.spent[kind][turn] ?? Number.NaN))
  const limit = kind !== "message" && side.name.includes("default)") ? 1.1 : undefined
  return {
    work: `a ${kind}, ${side.name}`,
    ours: `${median(spent).toFixed(0)} µs`,
    against: `${median(base.spent[kind]).toFixed(0)} µs ${base.name}`,
    ratio: median(ratios),
    spread: range(ratios),
    ...(limit !== undefined && { wanted: `≤ ${limit}×`, reached: median(ratios) <= limit }),
  }
}

const run = async (context: Context): Promise<Report> => {
  const { count, turns, warmUp } = sizes[context.scale]
  const database = await freshDatabase(await context.postgresUrl())
  const postgres = await context.postgresPid()
  const sides: Array<Side> = []
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
    const [base, ...others] = sides
    return {
      figures: kinds.flatMap((kind) =>
        others.flatMap((side) => (base === undefined ? [] : [figureOf(side, base, kind)])),
      ),
      notes: [
        `Processor time of Node and PostgreSQL for each call of the promise API, ${count.toLocaleString("en")} calls in a turn, 64 at a time, in one organization; medians of ${turns * context.rounds} turns, in which all sides run one after another. A gateway in the process accepts every message.`,
      ],
    }
  } finally {
    for (const { child } of sides) child.kill()
    await database.drop()
  }
}

export const records: Measurement = {
  id: "records",
  title: "What records cost",
  rows: [],
  run,
}
