/**
 * Line charts for the docs, drawn by Apache ECharts.
 */
import { themedSvg } from "./themedSvg.ts"

export type Scale = "linear" | "log"

export interface LineChart {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  /** Linear axes start at 0; logarithmic ones take positive values only. `@defaultValue "linear"` */
  readonly xScale?: Scale | undefined
  /** `@defaultValue "linear"` */
  readonly yScale?: Scale | undefined
  readonly series: ReadonlyArray<{
    readonly name: string
    readonly points: ReadonlyArray<readonly [x: number, y: number]>
  }>
}

/** Lines differ in colour, dash and mark, so that a reader who sees no colours can tell them apart. */
const looks = [
  { color: "#0b62c4", dash: "solid", symbol: "circle" },
  { color: "#c2410c", dash: [7, 4], symbol: "rect" },
  { color: "#15803d", dash: [2, 4], symbol: "diamond" },
  { color: "#8b3fc0", dash: [9, 3, 2, 3], symbol: "triangle" },
  { color: "#946200", dash: [14, 4], symbol: "emptyCircle" },
] as const

const darkColors = {
  "#0b62c4": "#6cb0ff",
  "#c2410c": "#ff9b62",
  "#15803d": "#5fd38a",
  "#8b3fc0": "#cf9bf5",
  "#946200": "#e6c04a",
}

/** The start of a logarithmic axis. */
const decadeBelow = ({ min }: { readonly min: number }): number => 10 ** Math.floor(Math.log10(min))

/** Returns an axis for these values. Throws for a value outside of the axis, which ECharts would skip. */
const axis = (name: string, scale: Scale = "linear", values: ReadonlyArray<number>) => {
  if (values.length === 0) throw new Error("A chart without points")
  const lost = values.find((value) => !Number.isFinite(value) || (scale === "log" && value <= 0))
  if (lost !== undefined) throw new Error(`${lost} is not on the ${scale} axis "${name}"`)
  const line = { lineStyle: { color: "#d8dee4" } }
  return {
    ...(scale === "log" ? { type: "log" as const, min: decadeBelow } : { type: "value" as const }),
    name,
    splitLine: { show: true, ...line },
    axisLine: { show: true, ...line },
    axisTick: line,
    axisLabel: { color: "#24292f", fontSize: 13, hideOverlap: true },
    nameTextStyle: { color: "#24292f", fontSize: 13 },
  }
}

export const lineChart = (chart: LineChart): string => {
  if (chart.series.length > looks.length) throw new Error(`Over ${looks.length} lines in a chart`)
  const points = chart.series.flatMap((series) => series.points)
  const x = axis(
    chart.xLabel,
    chart.xScale,
    points.map(([value]) => value),
  )
  const y = axis(
    chart.yLabel,
    chart.yScale,
    points.map(([, value]) => value),
  )
  return themedSvg(
    { title: chart.title, width: 720, height: 460, darkColors },
    {
      legend: {
        left: 16,
        right: 16,
        top: 44,
        itemWidth: 40,
        itemGap: 16,
        textStyle: { color: "#24292f", fontSize: 13 },
      },
      grid: { left: 64, right: 40, top: 132, bottom: 56 },
      xAxis: { ...x, nameLocation: "middle" },
      yAxis: { ...y, nameTextStyle: { ...y.nameTextStyle, align: "left" } },
      series: chart.series.map(({ name, points: data }, rank) => {
        const { color, dash, symbol } = looks[rank] ?? looks[0]
        return {
          type: "line" as const,
          silent: true,
          name,
          data: data.map(([a, b]) => [a, b]),
          symbol,
          symbolSize: 7,
          itemStyle: { color },
          lineStyle: { color, width: 2, type: typeof dash === "string" ? dash : [...dash] },
        }
      }),
    },
  )
}
