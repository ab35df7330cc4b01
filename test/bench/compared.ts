/** Lines of the table for figures of two sides that were measured in turns. */
import type { Figure } from "./Measurement.ts"
import type { Comparison, Measured } from "./sides.ts"
import { median, range } from "./stats.ts"

const count = (value: number): string => Math.round(value).toLocaleString("en")

export const millis = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`

const ratios = (comparison: Comparison<number>): ReadonlyArray<number> =>
  comparison.ours.map((ours, round) => ours / (comparison.other[round] ?? Number.NaN))

const valuesOf = (
  comparison: Comparison,
  value: (one: Measured) => number,
): Comparison<number> => ({
  ours: comparison.ours.map(value),
  other: comparison.other.map(value),
})

interface Line {
  readonly work: string
  /** The name of the other side. */
  readonly name: string
  /** The target, as a multiple of the other side; `undefined` if the figure is only reported. */
  readonly wanted?: number | undefined
}

/** Responses per second: more is better. */
export const throughputFigure = (comparison: Comparison, { name, wanted, work }: Line): Figure => {
  const values = valuesOf(comparison, ({ perSecond }) => perSecond)
  const ratio = median(ratios(values))
  return {
    work,
    ours: `${count(median(values.ours))}/s`,
    against: `${count(median(values.other))}/s ${name}`,
    ratio,
    spread: range(ratios(values)),
    ...(wanted === undefined ? {} : { wanted: `≥ ${wanted}×`, reached: ratio >= wanted }),
  }
}

/** Less is better. */
const lessFigure = (
  values: Comparison<number>,
  { name, wanted, work }: Line,
  format: (value: number) => string,
): Figure => {
  const ratio = median(ratios(values))
  return {
    work,
    ours: format(median(values.ours)),
    against: `${format(median(values.other))} ${name}`,
    ratio,
    spread: range(ratios(values)),
    ...(wanted === undefined ? {} : { wanted: `≤ ${wanted}×`, reached: ratio <= wanted }),
  }
}

export const latencyFigure = (values: Comparison<number>, line: Line): Figure =>
  lessFigure(values, line, millis)

export const p99Figure = (comparison: Comparison, line: Line): Figure =>
  latencyFigure(
    valuesOf(comparison, ({ p99 }) => p99),
    line,
  )

/** The processor time of a request, in all, in Node and in PostgreSQL, as far as it is known. */
export const processorFigures = (
  comparison: Comparison,
  line: Line,
  wanted: number | undefined,
  wantedInNode: number | undefined,
): ReadonlyArray<Figure> => {
  const figure = (what: string, value: (one: Measured) => number, most?: number): Figure =>
    lessFigure(
      valuesOf(comparison, value),
      { ...line, work: `${line.work}: processor time${what}`, wanted: most },
      (micros) => `${micros.toFixed(0)} µs`,
    )
  const inNode = figure(" in Node", ({ node }) => node, wantedInNode)
  const inPostgres = ({ postgres }: Measured) => postgres ?? Number.NaN
  return comparison.ours.some(({ postgres }) => postgres === undefined)
    ? [inNode]
    : [
        figure("", (one) => one.node + inPostgres(one), wanted),
        inNode,
        figure(" in PostgreSQL", inPostgres),
      ]
}

/** The processor times, and the median latencies. */
export const processorNote = (work: string, name: string, comparison: Comparison): string => {
  const of = (
    side: ReadonlyArray<Measured>,
    value: (one: Measured) => number | undefined,
  ): string => count(median(side.map((one) => value(one) ?? Number.NaN)))
  const split = (side: ReadonlyArray<Measured>): string =>
    [
      `${of(side, ({ node }) => node)} µs in Node`,
      ...(side.some(({ postgres }) => postgres === undefined)
        ? []
        : [`${of(side, ({ postgres }) => postgres)} µs in PostgreSQL`]),
      `${of(side, (one) => one.load)} µs in the load`,
    ].join(", ")
  const p50 = (side: ReadonlyArray<Measured>): string => millis(median(side.map((one) => one.p50)))
  return `${work}: ours takes ${split(comparison.ours)} of processor time for each request, p50 ${p50(comparison.ours)}; ${name} ${split(comparison.other)}, p50 ${p50(comparison.other)}.`
}
