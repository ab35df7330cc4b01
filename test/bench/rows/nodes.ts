/** Row 12: one, two and four nodes on one PostgreSQL server, with the same callers distributed over them. */
import { mistakes } from "../bookkeeping.ts"
import { load, post } from "../load.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { type Nodes, numberOf, withNodes } from "../nodes.ts"
import { inTurns, sendPath } from "../sides.ts"
import { median, range } from "../stats.ts"

const sizes = {
  full: { organizations: 1_000, connections: [64, 128], warmUp: 3_000, load: 5_000 },
  quick: { organizations: 20, connections: [64], warmUp: 200, load: 300 },
}

/** Minimum throughput of two nodes on one organization, relative to one node, with many callers. */
const wanted = 0.93

const nodeCounts = [1, 2, 4]
const [most = 1] = nodeCounts.toReversed()

/** Sends through the nodes, and counts the responses with status 200. Other responses are errors. */
class Sends {
  sent = 0
  #issued = 0
  readonly #nodes: Nodes

  constructor(nodes: Nodes) {
    this.#nodes = nodes
  }

  /** Responses per second, for a number of nodes and of organizations. */
  async run(
    nodes: number,
    organizations: number,
    connections: number,
    durationMillis: number,
  ): Promise<number> {
    const keys = this.#nodes.keys.slice(0, organizations)
    const results = await Promise.all(
      this.#nodes.services.slice(0, nodes).map(({ origin }) =>
        load({
          origin,
          connections: connections / nodes,
          durationMillis,
          request: () => {
            const rank = this.#issued++
            const key = keys[rank % keys.length] ?? ""
            return post(sendPath, key, { phone_number: numberOf(rank), expiry: 3_600 })
          },
          answer: (_, status, body) => {
            if (status !== 200) throw new Error(`A send was answered ${status}: ${body}`)
            this.sent += 1
          },
        }),
      ),
    )
    const answered = results.reduce((sum, one) => sum + one.answered, 0)
    return answered / Math.max(...results.map(({ seconds }) => seconds))
  }
}

interface Case {
  readonly organizations: number
  readonly connections: number
  readonly nodes: number
  readonly perSecond: number
}

const count = (value: number): string => Math.round(value).toLocaleString("en")

const figuresOf = (cases: ReadonlyArray<Case>): ReadonlyArray<Figure> => {
  const groups = Map.groupBy(cases, (one) => `${one.organizations} ${one.connections}`)
  return [...groups.values()].flatMap((group) => {
    const at = (nodes: number): ReadonlyArray<number> =>
      group.filter((one) => one.nodes === nodes).map(({ perSecond }) => perSecond)
    const [{ connections, organizations } = { connections: 0, organizations: 0 }] = group
    const one = at(1)
    return nodeCounts.slice(1).map((nodes): Figure => {
      const ratios = at(nodes).map((perSecond, round) => perSecond / (one[round] ?? Number.NaN))
      const ratio = median(ratios)
      const isHot = organizations === 1
      return {
        work: `\`POST /verify\`, ${isHot ? "one organization" : `${count(organizations)} organizations`}, ${connections} connections dealt round ${nodes} nodes`,
        ours: `${count(median(at(nodes)))}/s`,
        against: `${count(median(one))}/s on one node`,
        ratio,
        spread: range(ratios),
        ...(isHot && nodes === 2 && connections === 128
          ? { wanted: `≥ ${wanted}×`, reached: ratio >= wanted }
          : {}),
      }
    })
  })
}

const throughput = async (context: Context) => {
  const size = sizes[context.scale]
  return withNodes(context, most, { organizations: size.organizations }, async (nodes) => {
    const sends = new Sends(nodes)
    const organizations = [1, size.organizations]
    for (const each of organizations) await sends.run(most, each, 64, size.warmUp)
    const cases: Array<Case> = []
    for (const connections of size.connections) {
      for (const each of organizations) {
        const run = (count: number) => async (): Promise<Case> => {
          const perSecond = await sends.run(count, each, connections, size.load)
          context.log(
            `${each} organizations, ${connections} connections, ${count} nodes: ${perSecond.toFixed(0)}/s`,
          )
          return { organizations: each, connections, nodes: count, perSecond }
        }
        cases.push(...(await inTurns(context, nodeCounts.map(run))).flat())
      }
    }
    const wrong = await mistakes(nodes.databaseUrl, { sent: sends.sent })
    return { cases, wrong, sent: sends.sent }
  })
}

const bounds = { sends: 10, windowMillis: 60_000, pending: 5 }
const numbers = 20
const sendsPerNumber = 40

/** The responses that the sends to one number must get, on any number of nodes. */
const expectedAnswers = "200 × 5, 429 pending × 5, 429 counted × 30"

const answerOf = (status: number, body: string): string =>
  status !== 429 ? `${status}` : body.includes("retry_after") ? "429 counted" : "429 pending"

/** Sends everything at once to few numbers under the default limits. Returns the problems. */
const tightLimits = (context: Context): Promise<ReadonlyArray<string>> =>
  withNodes(context, most, { limits: false }, async ({ databaseUrl, keys, services }) => {
    const answers = Array.from({ length: numbers }, () => new Map<string, number>())
    const share = (numbers * sendsPerNumber) / most
    await Promise.all(
      services.map(({ origin }) =>
        load({
          origin,
          connections: 64,
          requests: share,
          request: (rank) =>
            post(sendPath, keys[0] ?? "", { phone_number: numberOf(rank % numbers) }),
          answer: (rank, status, body) => {
            const seen = answers[rank % numbers]
            const answer = answerOf(status, body)
            seen?.set(answer, (seen.get(answer) ?? 0) + 1)
          },
        }),
      ),
    )
    const seen = answers.map((one) =>
      [...one]
        .toSorted(([a], [b]) => (a === "200" ? -1 : b === "200" ? 1 : b.localeCompare(a)))
        .map(([answer, times]) => `${answer} × ${times}`)
        .join(", "),
    )
    return [
      ...seen.filter((one) => one !== expectedAnswers),
      ...(await mistakes(databaseUrl, { sent: numbers * bounds.pending, perNumber: bounds })),
    ]
  })

export const nodes: Measurement = {
  id: "nodes",
  title: "One, two and four nodes on one database",
  rows: [12],
  run: async (context) => {
    const { cases, sent, wrong } = await throughput(context)
    const wrongs = [...wrong, ...(await tightLimits(context))]
    if (wrongs.length > 0) throw new Error(`The books are wrong: ${wrongs.join("; ")}`)
    return {
      figures: figuresOf(cases),
      notes: [
        "All nodes, PostgreSQL and the load share the two cores of this machine: more nodes are more processes for the same processors.",
        `Checked in the database afterwards, over all nodes: ${count(sent)} answers of 200, as many messages and requests; every account is the fold of its entries; numbers without gaps; every hold resolved once. ${sendsPerNumber} sends at once to each of ${numbers} numbers through ${most} nodes, under the service's own limits: exactly ${bounds.pending} were sent, ${bounds.sends} counted, and the others refused.`,
      ],
    }
  },
}
