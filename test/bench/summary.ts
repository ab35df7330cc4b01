/** The tables of `docs/explanation/performance.md`, which `pnpm codegen` makes from the saved results. */
import type { Barrel } from "../tools/barrels.ts"
import { generatedFile } from "../tools/generatedFile.ts"
import { betweenMarkers, markdownTable } from "../tools/markdownTable.ts"
import type { Figure } from "./Measurement.ts"
import { savedResults } from "./report.ts"

const results = savedResults()

/** The figure of a measurement for some work, against the side with this name. */
const figureOf = (id: string, work: string, side = ""): Figure => {
  const figures = results.find((result) => result.id === id)?.figures ?? []
  const figure = figures.find(
    (one) => one.work === work && (one.against ?? "").endsWith(side === "" ? "" : ` ${side}`),
  )
  if (figure === undefined) throw new Error(`No figure of ${id} for ${work} against ${side}`)
  return figure
}

/** A value that misses its target is bold, and the target follows it. */
const marked = (value: string, { reached, wanted }: Figure): string =>
  reached === false ? `**${value}** (${wanted})` : value

/** Whether the target is a multiple of the other side. */
const hasRatioTarget = ({ wanted }: Figure): boolean => wanted?.endsWith("×") === true

const oursOf = (figure: Figure): string =>
  hasRatioTarget(figure) ? figure.ours : marked(figure.ours, figure)

const ratioOf = (figure: Figure): string => {
  if (figure.ratio === undefined) return ""
  const ratio = `${figure.ratio.toFixed(2)}×`
  return hasRatioTarget(figure) ? marked(ratio, figure) : ratio
}

const verify = "`POST /verify`"
const check = "`POST /verify/check`"

const handWritten = "hand-written"
const floor = "the floor"

/** The name of the work, the measurement with the hand-written service, and the work there. */
const works: ReadonlyArray<readonly [what: string, id: string, work: string]> = [
  ["sends a second, 64 callers", "send", `${verify}, one organization, 64 connections`],
  ["sends a second, 256 callers", "send", `${verify}, one organization, 256 connections`],
  [
    "sends of 1,000 organizations, 64 callers",
    "organizations",
    `${verify}, 1,000 organizations, 64 connections`,
  ],
  [
    "sends of 1,000 organizations, 256 callers",
    "organizations",
    `${verify}, 1,000 organizations, 256 connections`,
  ],
  ["checks a second, 64 callers", "check", `${check}, one organization, 64 connections`],
  ["checks a second, 256 callers", "check", `${check}, one organization, 256 connections`],
  ["median of a send, one caller", "latency", `${verify}, one connection: median`],
  ["median of a check, one caller", "latency", `${check}, one connection: median`],
]

const speed = (): string =>
  markdownTable([
    ["", "Countersign", "to hand-written", "to better-auth", "to the floor"],
    ...works.map(([what, id, work]) => [
      what,
      figureOf(id, work, handWritten).ours,
      ratioOf(figureOf(id, work, handWritten)),
      id === "send" ? ratioOf(figureOf("better-auth", work, "better-auth")) : "",
      ratioOf(figureOf(id, work, floor)),
    ]),
  ])

type Line = readonly [what: string, id: string, work: string, side?: string]

const lines = (chosen: ReadonlyArray<Line>): string =>
  markdownTable([
    ["", "Countersign", "compared with", "ratio"],
    ...chosen.map(([what, id, work, side]) => {
      const figure = figureOf(id, work, side)
      return [what, oursOf(figure), figure.against ?? "", ratioOf(figure)]
    }),
  ])

const hot = `${verify}, one organization, 256 connections: processor time`
const checked = `${check}, one organization, 256 connections: processor time`
const code = "A code that is sent and checked"
const expressApp = "App on Express with PostgreSQL"

const costs: ReadonlyArray<Line> = [
  ["processor time of a send", "send", hot, floor],
  ["of it in Node", "send", `${hot} in Node`, floor],
  ["of it in PostgreSQL", "send", `${hot} in PostgreSQL`, floor],
  ["processor time of a check", "check", checked, floor],
  ["of it in Node", "check", `${checked} in Node`, floor],
  ["of it in PostgreSQL", "check", `${checked} in PostgreSQL`, floor],
  ["disk for a code", "disk", `${code}: tables and indexes`],
  ["write-ahead log of a code", "disk", `${code}: write-ahead log`],
  [
    "start of an app, to its first answer",
    "app",
    `${expressApp}: from its process to the first answer`,
  ],
  ["memory of an idle app", "app", `${expressApp}: resident memory a second later`],
  ["memory over 2,000,000 requests", "memory", "Resident memory of a node over 2,000,000 requests"],
  ["the heap of it", "memory", "Its heap over 2,000,000 requests"],
]

const dealt = (organizations: string, nodes: number) =>
  `${verify}, ${organizations}, 128 connections dealt round ${nodes} nodes`
const full = (organizations: string) =>
  `POST /verify, ${organizations}, on 10,000,000 requests, 64 connections`
const others = "50 organizations, 200 sends a second, flood on the"

/** The costs of README. */
const summary = (): string =>
  `A send takes ${figureOf("send", hot, floor).ours} of processor time, and a code ` +
  `${figureOf("disk", `${code}: tables and indexes`).ours} on disk. With PostgreSQL and the caller on the same two cores, ` +
  `one process sends ${figureOf("send", `${verify}, one organization, 64 connections`, handWritten).ours.replace("/s", " codes a second")}.`

export const readReadmeCosts = (): Barrel =>
  generatedFile("README.md", (text) => betweenMarkers("cost", text, summary()))

const growth: ReadonlyArray<Line> = [
  ["two nodes, one organization", "nodes", dealt("one organization", 2)],
  ["two nodes, 1,000 organizations", "nodes", dealt("1,000 organizations", 2)],
  ["ten million requests, one organization", "full", full("one organization")],
  ["ten million requests, 1,000 organizations", "full", full("1,000 organizations")],
  [
    "last page of ten million messages",
    "log",
    "GET /messages, last page of 10,000,000, 1 connection",
    "for page 1 of 10,000",
  ],
  [
    "while a million messages are dropped",
    "retention",
    `${verify}, one organization, 64 connections, while 1,000,000 of its messages and as many requests are dropped`,
  ],
  [
    "twice the load that it can serve",
    "overload",
    `${verify}, offered 2× of what the node can do: served`,
  ],
  ["median of others in a flood, same node", "flood", `${others} same node: median`],
  ["median of others in a flood, other node", "flood", `${others} other node: median`],
  [
    "the quickstart, 64 callers",
    "quickstart",
    `${verify} of the quickstart, one organization, 64 connections`,
    "the service of the bench",
  ],
]

export const readPerformancePage = (): Barrel =>
  generatedFile("docs/explanation/performance.md", (text) =>
    betweenMarkers(
      "growth",
      betweenMarkers("costs", betweenMarkers("speed", text, speed()), lines(costs)),
      lines(growth),
    ),
  )
