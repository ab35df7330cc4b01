/** A line chart. The canvas has a name, and the data is in a table for those who do not see it. */
import { useEffect, useId, useRef, useState } from "react"
import uPlot from "uplot"
import { useI18n } from "../i18n/i18n.tsx"
import { themeChanged } from "../theme.ts"
import { Table } from "./table.tsx"

export interface Series {
  readonly name: string
  /** A custom property of the theme. */
  readonly color: "--accent" | "--good" | "--bad" | "--warn" | "--info" | "--text-muted"
  readonly values: ReadonlyArray<number>
}

interface Props {
  readonly title: string
  /** Starts of the slots in epoch milliseconds. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  /** Whether the slots are hours. */
  readonly hours: boolean
}

const height = 220

/** The colors are those of the theme now: a canvas does not follow it. */
const colorOf = (element: Element, property: string): string => {
  const probe = document.createElement("span")
  probe.style.color = `var(${property})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

interface DrawOptions extends Props {
  readonly element: HTMLElement
  readonly number: (value: number) => string
  readonly tick: (millis: number, hours: boolean) => string
  readonly time: (iso: string) => string
  readonly timeLabel: string
}

const draw = ({
  element,
  hours,
  number,
  series,
  tick,
  time,
  timeLabel,
  times,
}: DrawOptions): uPlot => {
  const color = (property: string) => colorOf(element, property)
  const axis = {
    stroke: color("--text-muted"),
    grid: { stroke: color("--border"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  }
  const manyDays = hours && (times.at(-1) ?? 0) - (times[0] ?? 0) > 2 * 86_400_000
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      padding: [8, 24, 0, 0],
      scales: { y: { range: (_, _min, max) => [0, Math.max(4, max * 1.08)] } },
      cursor: { points: { size: 7 } },
      axes: [
        {
          ...axis,
          space: 70,
          values: (_, splits) => splits.map((at) => tick(at * 1_000, hours && !manyDays)),
        },
        {
          ...axis,
          size: 56,
          values: (_, splits) => splits.map((value) => (value % 1 === 0 ? number(value) : "")),
        },
      ],
      series: [
        {
          label: timeLabel,
          value: (_, at) => (at === null ? "—" : time(new Date(at * 1_000).toISOString())),
        },
        ...series.map(({ color: property, name }) => ({
          label: name,
          stroke: color(property),
          width: 2,
          points: { show: times.length < 40, size: 5 },
          value: (_: uPlot, value: number | null) => (value === null ? "—" : number(value)),
        })),
      ],
    },
    [times.map((at) => at / 1_000), ...series.map(({ values }) => [...values])],
    element,
  )
}

const LineChart = (props: Props) => {
  const { hours, series, times, title } = props
  const { format, t } = useI18n()
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState(0)
  useEffect(() => {
    const again = () => setDrawing((count) => count + 1)
    const scheme = matchMedia("(prefers-color-scheme: dark)")
    scheme.addEventListener("change", again)
    addEventListener(themeChanged, again)
    return () => {
      scheme.removeEventListener("change", again)
      removeEventListener(themeChanged, again)
    }
  }, [])
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const { minutes, number, tick } = format
    const timeLabel = t.word.time
    const chart = draw({
      element,
      hours,
      series,
      times,
      title,
      timeLabel,
      number,
      tick,
      time: minutes,
    })
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [drawing, format, hours, series, t, times, title])
  const rows = times.map((at, index) => ({ at, index })).toReversed()
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <div ref={place} className="plot" role="img" aria-label={title} />
      <details>
        <summary>{t.overview.data}</summary>
        <Table
          label={title}
          hasTimes
          rows={rows}
          rowKey={({ at }) => at}
          columns={[
            {
              key: "at",
              title: t.overview.slot,
              cell: ({ at }) => format.minutes(new Date(at).toISOString()),
            },
            ...series.map(({ name, values }) => ({
              key: name,
              title: name,
              align: "end" as const,
              cell: ({ index }: { readonly index: number }) => format.number(values[index] ?? 0),
            })),
          ]}
        />
      </details>
    </figure>
  )
}

export default LineChart
