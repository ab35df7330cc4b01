/**
 * The results: one file for each measurement, and a page with all of them.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import type { Context, Figure, Measurement, Report } from "./Measurement.ts"

/** A saved measurement. */
export interface Result {
  readonly id: string
  readonly title: string
  readonly rows: ReadonlyArray<number>
  /** ISO 8601. */
  readonly date: string
  readonly node: string
  /** `undefined` if the run needed no database. */
  readonly postgres?: string | undefined
  readonly cores: number
  readonly rounds: number
  readonly figures: ReadonlyArray<Figure>
  readonly notes: ReadonlyArray<string>
  readonly charts: ReadonlyArray<{ readonly file: string; readonly caption: string }>
}

export const toResult = (
  { id, rows, title }: Measurement,
  { rounds }: Context,
  { charts = [], figures, notes = [] }: Report,
  postgres: string | undefined,
): Result => ({
  id,
  title,
  rows,
  date: new Date().toISOString(),
  node: process.version,
  postgres,
  cores: availableParallelism(),
  rounds,
  figures,
  notes,
  charts: charts.map(({ caption, file }) => ({ caption, file })),
})

const number = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

const ratioOf = ({ ratio, spread }: Figure): string => {
  if (ratio === undefined) return ""
  const between = spread === undefined ? "" : ` (${number(spread[0])}–${number(spread[1])})`
  return `${number(ratio)}×${between}`
}

/** Returns by how much a ratio misses its target, if the target is a multiple. */
const missBy = ({ ratio, wanted }: Figure): string => {
  const [, sign, bound] = /([≥≤]) *([\d.]+) *×/.exec(wanted ?? "") ?? []
  if (ratio === undefined || bound === undefined) return ""
  const share = ratio / Number(bound)
  return sign === "≥"
    ? `: ${Math.floor(share * 100)} % of it`
    : `: ${Math.ceil((share - 1) * 100)} % above it`
}

const reachedOf = (figure: Figure): string => {
  if (figure.reached === undefined) return ""
  return figure.reached ? "yes" : `**no**${missBy(figure)}`
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const line = (cells: ReadonlyArray<string>): string => `| ${cells.map(cell).join(" | ")} |`

export const table = (results: ReadonlyArray<Result>): string =>
  [
    line(["row", "work", "ours", "against", "ratio: median (lowest–highest)", "wanted", "reached"]),
    line(["---", "---", "---", "---", "---", "---", "---"]),
    ...results.flatMap(({ figures, rows }) =>
      figures.map((figure) =>
        line([
          rows.join(", "),
          figure.work,
          figure.ours,
          figure.against ?? "",
          ratioOf(figure),
          figure.wanted ?? "",
          reachedOf(figure),
        ]),
      ),
    ),
  ].join("\n")

const conditions = ({ cores, date, node, postgres, rounds }: Result): string =>
  [
    `Measured on ${date.slice(0, 10)}`,
    `Node ${node.slice(1)}`,
    ...(postgres === undefined ? [] : [`PostgreSQL ${postgres} with \`fsync\` on`]),
    `${cores} cores`,
    rounds === 1 ? "1 round." : `${rounds} rounds.`,
  ].join(", ")

const section = (result: Result): string =>
  [
    `## ${result.rows.length === 0 ? "" : `${result.rows.join(", ")}. `}${result.title}`,
    conditions(result),
    ...result.notes,
    ...result.charts.map(({ caption, file }) => `![${caption}](../../docs/figures/${file})`),
  ].join("\n\n")

const introduction = `# Results

Made by \`pnpm bench\`; do not edit. Everything that is compared runs on the same machine, with the load, in turns; a ratio is that of one round, and the table gives the median of the rounds. A round in which other processes took more than 5 % of the processors is repeated, at most three times. A ratio is ours to the other: of throughput more is better, of time and memory less. Each measurement can be run by its name: \`pnpm bench <name>\`.`

export const page = (results: ReadonlyArray<Result>): string =>
  [introduction, table(results), ...results.map(section)].join("\n\n") + "\n"

const root = join(import.meta.dirname, "../..")
const resultsFolder = join(import.meta.dirname, "results")

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** All results, in the order of the page. */
export const savedResults = (): ReadonlyArray<Result> =>
  readdirSync(resultsFolder)
    .filter((file) => file.endsWith(".json"))
    .map((file): Result => JSON.parse(readFileSync(join(resultsFolder, file), "utf8")))
    .toSorted(
      (a, b) => (a.rows[0] ?? Infinity) - (b.rows[0] ?? Infinity) || a.id.localeCompare(b.id),
    )

/** Saves a result with its pictures, and writes the page again. */
export const save = (result: Result, { charts = [] }: Report): void => {
  write(join(resultsFolder, `${result.id}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
  for (const { file, svg } of charts) write(join(root, "docs/figures", file), svg)
  write(join(import.meta.dirname, "RESULTS.md"), page(savedResults()))
}
