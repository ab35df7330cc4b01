/**
 * Lines over slots of time. The accessible name is a summary of the chart. Arrow keys move the cursor, and a screen
 * reader announces its values. The data is also in a table.
 */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react"
import uPlot from "uplot"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { themeChanged } from "../theme.ts"
import { type Band, bandsHook } from "./chartBands.ts"
import { Table } from "./table.tsx"

export interface Series {
  readonly name: string
  /** A custom property of the theme. */
  readonly color: "--info" | "--good" | "--bad" | "--previous"
  /** `null`: a gap. */
  readonly values: ReadonlyArray<number | null>
  /** The line is dashed: the period before. */
  readonly isDashed?: boolean
  /** The values hold until the next one. */
  readonly isStepped?: boolean
}

/** A value that is drawn as a dashed line. */
export interface Threshold {
  readonly name: string
  readonly value: number
}

/** A time that is shaded, and what it is. */
export interface NamedBand extends Band {
  readonly name: string
}

/** A chart without bands. */
const noBands: ReadonlyArray<NamedBand> = []

interface Props {
  readonly title: string
  /** A sentence that sums up the chart: its accessible name. */
  readonly summary: string
  /** Starts of the slots in epoch milliseconds. The last slot is not over. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  /** Whether the slots are hours. */
  readonly hours: boolean
  readonly zone: string
  readonly show: (value: number) => string
  /** The values are shares, from 0 to 100. */
  readonly isShare?: boolean
  readonly threshold?: Threshold | undefined
  readonly bands?: ReadonlyArray<NamedBand> | undefined
}

/** The names of the bands in a slot. */
const namesAt = (
  bands: ReadonlyArray<NamedBand>,
  start: number,
  end = Infinity,
): ReadonlyArray<string> => [
  ...new Set(bands.filter(({ from, to }) => from < end && to > start).map(({ name }) => name)),
]

/** A phone shows more charts at once. */
const heightOf = (): number => (matchMedia("(width < 600px)").matches ? 160 : 200)

const dayMillis = 86_400_000

/** The color in the current theme: a canvas does not follow a new theme. */
const colorOf = (element: Element, property: string): string => {
  const probe = document.createElement("span")
  probe.style.color = `var(${property}, var(--text-muted))`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

interface DrawOptions extends Props {
  readonly element: HTMLElement
  readonly tick: (millis: number) => string
}

const draw = (options: DrawOptions): uPlot => {
  const { bands = noBands, element, isShare = false, series, show } = options
  const { threshold, tick, times, zone } = options
  const color = (property: string) => colorOf(element, property)
  const { fontFamily } = getComputedStyle(element)
  const axis = {
    stroke: color("--text-muted"),
    grid: { stroke: color("--border"), width: 1 },
    ticks: { show: false },
    font: `12px ${fontFamily}`,
  }
  const stepped = uPlot.paths.stepped?.({ align: 1 })
  const few = times.length < 3
  const lines = series.flatMap(
    ({ color: property, isDashed = false, isStepped = false, values }) => {
      const line = {
        stroke: color(property),
        width: 2,
        spanGaps: false,
        points: { show: few, size: 6 },
        ...(isStepped && stepped !== undefined ? { paths: stepped } : {}),
      }
      if (isDashed) return [{ line: { ...line, dash: [4, 4] }, values: [...values] }]
      const last = times.length - 1
      // The running slot is dotted: its value still changes.
      const over = values.map((value, index) => (index === last && !few ? null : value))
      const running = values.map((value, index) => (index >= last - 1 ? value : null))
      return [
        { line, values: over },
        ...(few ? [] : [{ line: { ...line, dash: [1, 4] }, values: running }]),
      ]
    },
  )
  const limit =
    threshold === undefined
      ? []
      : [
          {
            line: { stroke: color("--warn"), width: 1, dash: [4, 4], points: { show: false } },
            values: times.map(() => threshold.value),
          },
        ]
  const all = [...lines, ...limit]
  const highest = Math.max(0, ...all.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const label = (value: number): string => (value % 1 === 0 || highest < 4 ? show(value) : "")
  const longest = Math.max(...[0, 1].map((share) => show(Math.round(highest * share)).length))
  return new uPlot(
    {
      width: element.clientWidth,
      height: heightOf(),
      padding: [8, 16, 0, 0],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), zone),
      legend: { show: false },
      scales: {
        y: { range: (_, _min, max) => [0, isShare ? 100 : Math.max(4, max * 1.08)] },
      },
      hooks: { drawClear: [bandsHook(bands, color("--bad"))] },
      cursor: { y: false, points: { size: 7 }, sync: { key: "overview" } },
      axes: [
        {
          ...axis,
          size: 28,
          space: 70,
          values: (_, splits) => splits.map((at) => tick(at * 1_000)),
        },
        {
          ...axis,
          size: Math.max(40, 16 + 8 * longest),
          space: 44,
          values: (_, splits) => splits.map(label),
        },
      ],
      series: [{}, ...all.map(({ line }) => line)],
    },
    [times.map((at) => at / 1_000), ...all.map(({ values }) => values)],
    element,
  )
}

const LineChart = (props: Props) => {
  const { bands = noBands, hours, isShare, series, show, summary } = props
  const { threshold, times, title, zone } = props
  const { locale, t } = useI18n()
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(null)
  const position = useRef(times.length)
  const [drawing, setDrawing] = useState(0)
  const [spoken, setSpoken] = useState("")
  const words = useMemo(() => {
    const tag = locale === "bn" ? "bn-BD" : "en-GB"
    const month = locale === "bn" ? "long" : "short"
    const day = { day: "numeric", month, timeZone: zone } as const
    const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const
    const onlyClock = new Intl.DateTimeFormat(tag, { ...clock, timeZone: zone })
    const onlyDay = new Intl.DateTimeFormat(tag, day)
    const both = new Intl.DateTimeFormat(tag, { ...day, ...clock })
    const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > 2 * dayMillis
    return {
      tick: (at: number) => (hours && !isLong ? onlyClock : onlyDay).format(at),
      slot: (at: number) => (hours ? both : onlyDay).format(at),
    }
  }, [hours, locale, times, zone])
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
    const { tick } = words
    const drawn = draw({
      bands,
      element,
      hours,
      isShare: isShare ?? false,
      series,
      show,
      summary,
      threshold,
      tick,
      times,
      title,
      zone,
    })
    chart.current = drawn
    const observer = new ResizeObserver(() =>
      drawn.setSize({ width: element.clientWidth, height: heightOf() }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
      chart.current = null
    }
  }, [bands, drawing, hours, isShare, series, show, summary, threshold, times, title, words, zone])
  const valueOf = (value: number | null | undefined): string =>
    value === null || value === undefined ? "—" : show(value)
  /** Moves the cursor by a slot, and says what is there. */
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = Math.max(0, Math.min(times.length - 1, position.current + step))
    const at = times[index]
    position.current = index
    if (at === undefined) return
    chart.current?.setCursor({ left: chart.current.valToPos(at / 1_000, "x"), top: 0 })
    const values = [
      ...series.map(({ name, values }) => `${name} ${valueOf(values[index])}`),
      ...namesAt(bands, at, times[index + 1]),
    ]
    setSpoken([words.slot(at), ...values].join(", "))
  }
  const rows = times.map((at, index) => ({ at, index })).toReversed()
  const bandNames = [...new Set(bands.map(({ name }) => name))]
  const keys = [
    ...series,
    ...(threshold === undefined ? [] : [{ ...threshold, color: "--warn", isDashed: true }]),
  ]
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <ul className="chart-keys">
        {keys.map(({ color, isDashed, name }) => (
          <li key={name}>
            <svg className="chart-line" viewBox="0 0 20 8" aria-hidden="true">
              <path
                d="M0 4h20"
                style={{ stroke: `var(${color}, var(--text-muted))` }}
                {...(isDashed === true ? { strokeDasharray: "4 4" } : {})}
              />
            </svg>
            {name}
          </li>
        ))}
        {bandNames.map((name) => (
          <li key={name}>
            <span className="chart-key band" />
            {name}
          </li>
        ))}
      </ul>
      <div
        ref={place}
        className="plot lines"
        role="img"
        aria-label={summary}
        tabIndex={0}
        onKeyDown={move}
      />
      <p className="chart-spoken" role="status">
        {spoken}
      </p>
      <details>
        <summary>{t.overview.data}</summary>
        <Table
          label={title}
          rows={rows}
          rowKey={({ at }) => at}
          columns={[
            { key: "at", title: t.overview.slot, cell: ({ at }) => words.slot(at) },
            ...series.map(({ name, values }) => ({
              key: name,
              title: name,
              align: "end" as const,
              cell: ({ index }: { readonly index: number }) => valueOf(values[index]),
            })),
            {
              key: "paused",
              title: t.overview.paused,
              cell: ({ at, index }) => namesAt(bands, at, times[index + 1]).join(", "),
            },
          ]}
        />
        <p className="table-note">{fill(t.word.timesIn, { zone })}</p>
      </details>
    </figure>
  )
}

export default LineChart
