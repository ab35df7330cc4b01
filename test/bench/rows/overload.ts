/**
 * Back-pressure: the throughput under more requests than a node can serve. Requests arrive whether or not
 * earlier ones are answered. The node has to refuse some of them quickly, without charging for them.
 */
import { mistakes } from "../bookkeeping.ts"
import { lineChart } from "../charts.ts"
import { millis } from "../compared.ts"
import { load, post } from "../load.ts"
import type { Context, Figure, Measurement, Report } from "../Measurement.ts"
import { type Nodes, numberOf, withNodes } from "../nodes.ts"
import { openLoop } from "../openLoop.ts"
import { inRounds, sendPath } from "../sides.ts"
import { median, percentile, range } from "../stats.ts"

const sizes = {
  full: { warmUp: 4_000, saturate: 5_000, offer: 8_000, settle: 2_000 },
  quick: { warmUp: 300, saturate: 300, offer: 600, settle: 100 },
}

const loads = [0.25, 0.5, 1, 1.5, 2, 3]

/** Far above the limit of the node, so that the node refuses requests and not the generator. */
const maxOpen = 8_000

/** One load of one round, while it was steady. */
interface Level {
  readonly load: number
  /** The throughput of callers that wait for each response, in this round. */
  readonly saturation: number
  readonly offered: number
  readonly accepted: number
  readonly refused: number
  readonly acceptedMillis: ReadonlyArray<number>
  readonly refusedMillis: ReadonlyArray<number>
  /** Share of the requests that the generator could not send. */
  readonly leftOut: number
  readonly mostOpen: number
  readonly lateness: number
}

/** The callers of one node, and the responses that they have received. */
class Callers {
  sent = 0
  #issued = 0
  readonly #key: string

  constructor({ keys }: Nodes) {
    this.#key = keys[0] ?? ""
  }

  readonly request = (): string =>
    post(sendPath, this.#key, { phone_number: numberOf(this.#issued++), expiry: 3_600 })

  readonly answer = (_: number, status: number, text: string): void => {
    if (status === 200) this.sent += 1
    else if (status !== 503) throw new Error(`A send was answered ${status}: ${text}`)
  }

  /** In the open loop, the text includes the head of the response. */
  readonly answerWithHead = (rank: number, status: number, text: string): void => {
    this.answer(rank, status, text)
    if (status === 503 && !/\r\nretry-after: *\d+\r\n/i.test(text)) {
      throw new Error(`A refusal does not say when to come again: ${text}`)
    }
  }
}

const offer = async (
  context: Context,
  { services: [node] }: Nodes,
  callers: Callers,
  load: number,
  saturation: number,
): Promise<Level> => {
  const size = sizes[context.scale]
  const { arrivals, lateness, leftOut, mostOpen } = await openLoop({
    origin: node?.origin ?? "",
    perSecond: load * saturation,
    durationMillis: size.offer,
    maxOpen,
    request: callers.request,
    answer: callers.answerWithHead,
    seed: Math.round(load * 100),
  })
  const seconds = (size.offer - size.settle) / 1_000
  const isSteady = (at: number): boolean => at >= size.settle && at < size.offer
  // Throughput counts responses by their arrival. Latency counts all requests of this time, however late the
  // response.
  const answered = (status: number): number =>
    arrivals.filter((one) => one.status === status && isSteady(one.due + one.millis)).length
  const came = arrivals.filter((one) => isSteady(one.due))
  const timesOf = (status: number): ReadonlyArray<number> =>
    came.filter((one) => one.status === status).map((one) => one.millis)
  return {
    load,
    saturation,
    offered: came.length / seconds,
    accepted: answered(200) / seconds,
    refused: answered(503) / seconds,
    acceptedMillis: timesOf(200),
    refusedMillis: timesOf(503),
    leftOut: leftOut / (arrivals.length + leftOut),
    mostOpen,
    lateness: percentile(lateness, 0.99),
  }
}

const count = (value: number): string => Math.round(value).toLocaleString("en")

const timesOf = (
  levels: ReadonlyArray<Level>,
  of: (level: Level) => ReadonlyArray<number>,
): string => {
  const all = levels.flatMap(of)
  return all.length === 0
    ? "–"
    : `${millis(percentile(all, 0.5))} / ${millis(percentile(all, 0.99))}`
}

const row = (levels: ReadonlyArray<Level>): string => {
  const of = (value: (level: Level) => number): number => median(levels.map(value))
  return `| ${levels[0]?.load}× | ${count(of((l) => l.offered))} | ${count(of((l) => l.accepted))} | ${count(of((l) => l.refused))} | ${timesOf(levels, (l) => l.acceptedMillis)} | ${timesOf(levels, (l) => l.refusedMillis)} | ${count(of((l) => l.mostOpen))} | ${(100 * of((l) => l.leftOut)).toFixed(1)} % | ${millis(of((l) => l.lateness))} |`
}

/** The remaining throughput under a load, and the latencies of both kinds of callers. */
const figuresAt = (load: number, all: ReadonlyArray<Level>): ReadonlyArray<Figure> => {
  const levels = all.filter((level) => level.load === load)
  const work = `\`POST /verify\`, offered ${load}× of what the node can do`
  const ratios = levels.map(({ accepted, saturation }) => accepted / saturation)
  return [
    {
      work: `${work}: served`,
      ours: `${count(median(levels.map(({ accepted }) => accepted)))}/s`,
      against: `${count(median(levels.map(({ saturation }) => saturation)))}/s at saturation`,
      ratio: median(ratios),
      spread: range(ratios),
      wanted: "≥ 0.9×",
      reached: median(ratios) >= 0.9,
    },
    { work: `${work}: served, p50 / p99`, ours: timesOf(levels, (level) => level.acceptedMillis) },
    { work: `${work}: refused, p50 / p99`, ours: timesOf(levels, (level) => level.refusedMillis) },
  ]
}

const reportOf = (levels: ReadonlyArray<Level>, sent: number): Report => {
  const byLoad = [...Map.groupBy(levels, ({ load }) => load).values()]
  const points = (of: (level: Level) => number) =>
    byLoad.map(
      (same) => [median(same.map(({ offered }) => offered)), median(same.map(of))] as const,
    )
  return {
    figures: [...figuresAt(2, levels), ...figuresAt(3, levels)],
    notes: [
      `Saturation is what 256 connections get through that each wait for their answer, measured at the start of each round: ${levels
        .filter(({ load }) => load === 1)
        .map(({ saturation }) => count(saturation))
        .join(
          ", ",
        )} a second. Then callers come at random times, without waiting for each other. Latencies count from the time at which a request was due. The generator runs on the same two cores, so what it needs to offer more is taken from the node.`,
      [
        "| load | offered/s | accepted/s | refused/s | accepted p50 / p99 | refused p50 / p99 | most open | not sent by the generator | generator late, p99 |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        ...byLoad.map(row),
      ].join("\n"),
      `Every answer was 200, or 503 with Retry-After. Afterwards the rows were checked: ${count(sent)} answers of 200, as many messages and requests, each paid for once; nothing that was refused has left a trace.`,
    ],
    charts: [
      {
        file: "overload.svg",
        caption:
          "Throughput against offered load: what is too much is refused, and the rest is served.",
        svg: lineChart({
          title: "Sends a second against offered load",
          xLabel: "requests a second, offered",
          yLabel: "answers a second",
          series: [
            { name: "served (200)", points: points(({ accepted }) => accepted) },
            { name: "refused (503)", points: points(({ refused }) => refused) },
          ],
        }),
      },
    ],
  }
}

export const overload: Measurement = {
  id: "overload",
  title: "More than the node can do",
  rows: [],
  run: (context) =>
    withNodes(context, 1, {}, async (nodes) => {
      const size = sizes[context.scale]
      const callers = new Callers(nodes)
      const closed = { origin: nodes.services[0]?.origin ?? "", connections: 256, ...callers }
      await load({ ...closed, durationMillis: size.warmUp })
      const rounds = await inRounds(context, async () => {
        const { perSecond } = await load({ ...closed, durationMillis: size.saturate })
        const levels: Array<Level> = []
        for (const at of loads) {
          const level = await offer(context, nodes, callers, at, perSecond)
          levels.push(level)
          context.log(row([level]))
        }
        return levels
      })
      const wrong = await mistakes(nodes.databaseUrl, { sent: callers.sent })
      if (wrong.length > 0) throw new Error(`The books are wrong: ${wrong.join("; ")}`)
      return reportOf(rounds.flat(), callers.sent)
    }),
}
