/** A chart of slots: shares as lines, or counts as stacked columns. The data is also in a table. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import uPlot from "uplot"
import { activity as english } from "../i18n/en/activity.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { themeChanged } from "../theme.ts"
import { type Band, bandsHook } from "./chartBands.ts"
import { Table } from "./table.tsx"

type Color = "--good" | "--bad" | "--info"

export interface SlotSeries {
  readonly name: string
  readonly color: Color
  /** `null`: a gap. */
  readonly values: ReadonlyArray<number | null>
}

interface Props {
  readonly title: string
  /** `shares`: lines from 0 to 100 %. `columns`: counts on top of each other. */
  readonly kind: "shares" | "columns"
  /** Starts of the slots in epoch milliseconds. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<SlotSeries>
  readonly hours: boolean
  readonly bands?: ReadonlyArray<Band>
  /** The label of the bands in the legend. */
  readonly bandName?: string
}

const height = 200

/** The color in the current theme: a canvas does not follow a new theme. */
const colorOf = (element: Element, property: string): string => {
  const probe = document.createElement("span")
  probe.style.color = `var(${property})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Each line above those below it, so that the columns lie on top of each other. */
const stacked = (series: ReadonlyArray<SlotSeries>, count: number): Array<Array<number>> => {
  const sums = Array.from({ length: count }, () => 0)
  return series
    .toReversed()
    .map(({ values }) =>
      sums.map((sum, index) => {
        sums[index] = sum + (values[index] ?? 0)
        return sums[index]
      }),
    )
    .toReversed()
}

interface DrawOptions extends Props {
  readonly element: HTMLElement
  readonly label: (value: number) => string
  readonly tick: (millis: number, hours: boolean) => string
}

const draw = ({
  bands = [],
  element,
  hours,
  kind,
  label,
  series,
  tick,
  times,
}: DrawOptions): uPlot => {
  const color = (property: string) => colorOf(element, property)
  const { fontFamily } = getComputedStyle(element)
  const axis = {
    stroke: color("--text-muted"),
    grid: { stroke: color("--border"), width: 1 },
    ticks: { show: false },
    font: `12px ${fontFamily}`,
  }
  const manyDays = hours && (times.at(-1) ?? 0) - (times[0] ?? 0) > 2 * 86_400_000
  const paths = kind === "columns" ? uPlot.paths.bars?.({ size: [0.8, 40], align: 1 }) : undefined
  const range: uPlot.Range.Function = (_, _min, max) =>
    kind === "shares" ? [0, 100] : [0, Math.max(4, max * 1.08)]
  const data =
    kind === "columns" ? stacked(series, times.length) : series.map((one) => [...one.values])
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      scales: { y: { range } },
      cursor: { points: { size: 7 }, sync: { key: "activity" } },
      hooks: { drawClear: [bandsHook(bands, color("--bad"))] },
      axes: [
        {
          ...axis,
          space: 70,
          values: (_, splits) => splits.map((at) => tick(at * 1_000, hours && !manyDays)),
        },
        {
          ...axis,
          size: 56,
          space: 40,
          values: (_, splits) => splits.map((value) => (value % 1 === 0 ? label(value) : "")),
        },
      ],
      series: [
        {},
        ...series.map(({ color: property, name }) => ({
          label: name,
          stroke: color(property),
          ...(kind === "columns" ? { fill: color(property) } : {}),
          ...(paths === undefined ? {} : { paths }),
          width: kind === "columns" ? 0 : 2,
          spanGaps: false,
          points: { show: kind === "shares" && times.length < 40, size: 5 },
        })),
      ],
    },
    [times.map((at) => at / 1_000), ...data],
    element,
  )
}

const SlotChart = (props: Props) => {
  const { bandName, bands = [], hours, kind, series, times, title } = props
  const { format, t } = useTexts(english)
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(null)
  const [drawing, setDrawing] = useState(0)
  const [spoken, setSpoken] = useState("")
  const position = useRef(times.length)
  const valueOf = (value: number | null | undefined): string => {
    if (value === null || value === undefined) return "—"
    return kind === "shares" ? format.percent(value / 100) : format.number(value)
  }
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
    const { number, percent, tick } = format
    const label = (value: number) => (kind === "shares" ? percent(value / 100) : number(value))
    const drawn = draw({ element, title, kind, times, series, hours, bands, label, tick })
    chart.current = drawn
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
      chart.current = null
    }
  }, [bands, drawing, format, hours, kind, series, times, title])
  /** Moves the cursor by a slot, and says what is there. */
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = Math.max(0, Math.min(times.length - 1, position.current + step))
    position.current = index
    const at = times[index]
    if (at === undefined) return
    chart.current?.setCursor({ left: chart.current.valToPos(at / 1_000, "x"), top: 0 })
    const values = series.map(({ name, values }) => `${name} ${valueOf(values[index])}`)
    setSpoken([format.minutes(new Date(at).toISOString()), ...values].join(", "))
  }
  const rows = times.map((at, index) => ({ at, index })).toReversed()
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <ul className="chart-legend">
        {series.map(({ color, name }) => (
          <li key={name}>
            <span className="chart-key" style={{ background: `var(${color})` }} />
            {name}
          </li>
        ))}
        {bands.length > 0 && bandName !== undefined && (
          <li>
            <span className="chart-key band" />
            {bandName}
          </li>
        )}
      </ul>
      <div
        ref={place}
        className="plot slots"
        role="img"
        aria-label={title}
        tabIndex={0}
        onKeyDown={move}
      />
      <p className="chart-value" role="status">
        {spoken}
      </p>
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
              cell: ({ index }: { readonly index: number }) => valueOf(values[index]),
            })),
          ]}
        />
      </details>
    </figure>
  )
}

export default SlotChart
