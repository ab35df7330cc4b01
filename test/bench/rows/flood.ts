/**
 * Row 13: the effect of a flood of one organization on the others. The others send at a modest, steady rate
 * and at random times. The flood is 256 connections from another process that never pause.
 */
import { mistakes } from "../bookkeeping.ts"
import type { FloodInput, FloodResult } from "../children/flood.ts"
import { runChild } from "../children/child.ts"
import { latencyFigure } from "../compared.ts"
import { post } from "../load.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { type Nodes, numberOf, withNodes } from "../nodes.ts"
import { openLoop } from "../openLoop.ts"
import { inRounds, sendPath } from "../sides.ts"
import { median, percentile } from "../stats.ts"

const sizes = {
  full: { others: 50, perSecond: 200, millis: 8_000, leadMillis: 2_000, warmUpMillis: 4_000 },
  quick: { others: 5, perSecond: 50, millis: 500, leadMillis: 300, warmUpMillis: 300 },
}

const connections = 256

/** The target of the flood. The other organizations use the first node. */
type Flood = "none" | "same node" | "other node"

/** The measurements of the other organizations in one round. */
interface Seen {
  readonly p50: number
  readonly p99: number
  readonly refused: number
  readonly flood: FloodResult | undefined
}

class Load {
  sent = 0
  #numbers = 0
  readonly #context: Context
  readonly #nodes: Nodes

  constructor(context: Context, nodes: Nodes) {
    this.#context = context
    this.#nodes = nodes
  }

  /** The first organization floods; all others send. */
  async round(where: Flood): Promise<Seen> {
    const { leadMillis, millis } = sizes[this.#context.scale]
    const flood = where === "none" ? undefined : this.flood(where, leadMillis + millis)
    const { arrivals } = await this.#others(leadMillis + millis)
    const flooded = await flood
    const seen = arrivals.filter(({ due }) => due >= leadMillis)
    const times = seen.filter(({ status }) => status === 200).map((one) => one.millis)
    return {
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      refused: seen.length - times.length,
      flood: flooded,
    }
  }

  async flood(where: Exclude<Flood, "none">, durationMillis: number): Promise<FloodResult> {
    const { keys, services } = this.#nodes
    const origin = services[where === "same node" ? 0 : 1]?.origin ?? ""
    const input: FloodInput = {
      origin,
      key: keys[0] ?? "",
      connections,
      durationMillis,
      from: this.#takeNumbers(1_000_000),
    }
    const result = await runChild<FloodResult>("flood", input)
    this.sent += result.sent
    return result
  }

  #others(durationMillis: number) {
    const { perSecond } = sizes[this.#context.scale]
    const [first, ...keys] = this.#nodes.keys
    return openLoop({
      origin: this.#nodes.services[0]?.origin ?? "",
      perSecond,
      durationMillis,
      maxOpen: 1_000,
      request: (rank) =>
        post(sendPath, keys[rank % keys.length] ?? first ?? "", {
          phone_number: numberOf(this.#takeNumbers(1)),
          expiry: 3_600,
        }),
      answer: (_, status, text) => {
        if (status === 200) this.sent += 1
        else if (status !== 503) throw new Error(`A send was answered ${status}: ${text}`)
      },
    })
  }

  #takeNumbers(count: number): number {
    this.#numbers += count
    return this.#numbers - count
  }
}

const figure = (
  work: string,
  flooded: ReadonlyArray<Seen>,
  calm: ReadonlyArray<Seen>,
  of: (seen: Seen) => number,
): Figure =>
  latencyFigure(
    { ours: flooded.map(of), other: calm.map(of) },
    { work, name: "without the flood", wanted: 2 },
  )

const note = (where: string, seen: ReadonlyArray<Seen>): string => {
  const of = (value: (flood: FloodResult) => number): string =>
    Math.round(
      median(seen.flatMap(({ flood }) => (flood === undefined ? [] : [value(flood)]))),
    ).toLocaleString("en")
  const refused = seen.reduce((sum, one) => sum + one.refused, 0)
  return `${where}: the flood itself got ${of((f) => f.perSecond)} sends a second through, at a median of ${of((f) => f.p50)} ms, and was refused ${of((f) => f.refused)} times; of the others' sends ${refused} were refused.`
}

export const flood: Measurement = {
  id: "flood",
  title: "Other organizations while one floods",
  rows: [13],
  run: async (context) => {
    const { others, perSecond, warmUpMillis } = sizes[context.scale]
    return withNodes(context, 2, { organizations: others + 1 }, async (nodes) => {
      const load = new Load(context, nodes)
      await load.flood("same node", warmUpMillis)
      await load.flood("other node", warmUpMillis)
      await load.round("none")
      const seen: Record<Flood, Array<Seen>> = { none: [], "same node": [], "other node": [] }
      const rounds = await inRounds(context, async () => ({
        none: await load.round("none"),
        "same node": await load.round("same node"),
        "other node": await load.round("other node"),
      }))
      for (const one of rounds) {
        for (const where of ["none", "same node", "other node"] as const) {
          seen[where].push(one[where])
          const { p50, p99 } = one[where]
          context.log(`${where}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
        }
      }
      const wrong = await mistakes(nodes.databaseUrl, { sent: load.sent })
      if (wrong.length > 0) throw new Error(`The books are wrong: ${wrong.join("; ")}`)
      const figures = (["same node", "other node"] as const).flatMap((where) => {
        const work = `${others} organizations, ${perSecond} sends a second, flood on the ${where}`
        return [
          figure(`${work}: p99`, seen[where], seen.none, ({ p99 }) => p99),
          figure(`${work}: median`, seen[where], seen.none, ({ p50 }) => p50),
        ]
      })
      return {
        figures,
        notes: [
          note("On the same node", seen["same node"]),
          note("On the other node", seen["other node"]),
        ],
      }
    })
  },
}
