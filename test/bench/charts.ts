/**
 * Line charts for the docs: one SVG without scripts or references, which brings its own background and
 * follows the reader's light or dark theme.
 */

export type Scale = "linear" | "log"

export interface LineChart {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  /** Linear when left out; a linear axis starts at 0, a logarithmic one takes positive values only. */
  readonly xScale?: Scale | undefined
  readonly yScale?: Scale | undefined
  readonly series: ReadonlyArray<{
    readonly name: string
    readonly points: ReadonlyArray<readonly [x: number, y: number]>
  }>
}

const width = 720
const plotHeight = 300
const margin = 20
const fontSize = 13
const lineHeight = 20

/** Told apart by colour, dash and mark, so that no eye and no printer has to rely on colour alone. */
const looks = [
  { light: "#0b62c4", dark: "#6cb0ff", dash: "", mark: "circle" },
  { light: "#c2410c", dark: "#ff9b62", dash: "7 4", mark: "square" },
  { light: "#15803d", dark: "#5fd38a", dash: "2 4", mark: "diamond" },
  { light: "#8b3fc0", dark: "#cf9bf5", dash: "9 3 2 3", mark: "circle" },
  { light: "#946200", dark: "#e6c04a", dash: "14 4", mark: "square" },
] as const

type Look = (typeof looks)[number]

const escaped = (text: string): string =>
  text.replace(
    /[<>&"]/g,
    (character) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;" })[character] ?? "&quot;",
  )

/** Wide enough for every usual system font: nobody measures text before it is drawn. */
const textWidth = (text: string, size = fontSize): number => text.length * size * 0.6

/** Breaks items of these widths into rows. */
const flow = <A>(
  items: ReadonlyArray<A>,
  widthOf: (item: A) => number,
): ReadonlyArray<ReadonlyArray<A>> => {
  const rows: Array<Array<A>> = [[]]
  let left = width - 2 * margin
  for (const item of items) {
    if (widthOf(item) > left && rows.at(-1)?.length !== 0) {
      rows.push([])
      left = width - 2 * margin
    }
    rows.at(-1)?.push(item)
    left -= widthOf(item)
  }
  return rows
}

/** A value as short as it can be read: `1,500`, `200 k`, `10 M`, `0.25`. */
export const shortNumber = (value: number): string => {
  const [divisor, unit] = value >= 1e6 ? [1e6, " M"] : value >= 1e5 ? [1e3, " k"] : [1, ""]
  return (value / divisor).toLocaleString("en", { maximumSignificantDigits: 4 }) + unit
}

/** Round numbers that cover the values; the first and the last are the ends of the axis. */
export const ticksOf = (scale: Scale, values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const low = Math.min(...values)
  const high = Math.max(...values)
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    throw new Error("A chart needs points, and finite ones")
  }
  if (scale === "log") {
    if (low <= 0) throw new Error(`${low} has no place on a logarithmic axis`)
    const from = Math.floor(Math.log10(low))
    const to = Math.max(Math.ceil(Math.log10(high)), from + 1)
    const decades = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    if (decades.length > 3) return decades.map((power) => tenTo(power))
    const all = decades.flatMap((power) => [1, 2, 5].map((lead) => lead * tenTo(power)))
    const first = all.findLastIndex((tick) => tick <= low)
    const last = all.findIndex((tick) => tick >= high && tick > low)
    return all.slice(first, last + 1)
  }
  if (low < 0) throw new Error(`${low} is below the start of a linear axis`)
  const rough = (high || 1) / 6
  const power = tenTo(Math.floor(Math.log10(rough)))
  const step = power * ([1, 2, 2.5, 5, 10].find((lead) => lead * power >= rough) ?? 10)
  const count = Math.ceil((high || 1) / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** As a division for small ones: `10 ** -3` is not the number that `0.001` is. */
const tenTo = (power: number): number => (power < 0 ? 1 / 10 ** -power : 10 ** power)

const place =
  (scale: Scale, ticks: ReadonlyArray<number>, from: number, to: number) =>
  (value: number): number => {
    const along = (v: number): number => (scale === "log" ? Math.log10(v) : v)
    const low = along(ticks[0] ?? 0)
    const high = along(ticks.at(-1) ?? 1)
    return Math.round((from + ((along(value) - low) / (high - low)) * (to - from)) * 10) / 10
  }

type Point = readonly [x: number, y: number]

const mark = (look: Look, [x, y]: Point): string => {
  if (look.mark === "circle") return `<circle cx="${x}" cy="${y}" r="3.5"/>`
  const turned = look.mark === "diamond" ? ` transform="rotate(45 ${x} ${y})"` : ""
  return `<rect x="${x - 3}" y="${y - 3}" width="6" height="6"${turned}/>`
}

/** A line in the look of its rank, with marks on it. */
const line = (
  rank: number,
  points: ReadonlyArray<Point>,
  marks: ReadonlyArray<Point> = points,
): string => {
  const look = looks[rank] ?? looks[0]
  return (
    `<g class="s${rank}"><path class="line" d="M${points.map(([x, y]) => `${x} ${y}`).join("L")}" stroke-dasharray="${look.dash}"/>` +
    `${marks.map((point) => mark(look, point)).join("")}</g>`
  )
}

const styles = (count: number): string => {
  const colours = (theme: "light" | "dark"): string =>
    looks
      .slice(0, count)
      .map((look, index) => `.s${index}{stroke:${look[theme]};fill:${look[theme]}}`)
      .join("")
  const ground = (paper: string, ink: string, grid: string): string =>
    `.paper{fill:${paper};stroke:${grid}}text{fill:${ink}}.grid{stroke:${grid}}`
  return (
    `text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:${fontSize}px}` +
    `.title{font-size:16px;font-weight:600}` +
    ground("#ffffff", "#24292f", "#d8dee4") +
    colours("light") +
    `@media(prefers-color-scheme:dark){${ground("#0d1117", "#e6edf3", "#30363d")}${colours("dark")}}` +
    // After the colours: a line is not filled.
    `.line{fill:none;stroke-width:2}`
  )
}

/** Every so many ticks that their labels do not touch. */
const labelled = (
  ticks: ReadonlyArray<number>,
  at: (value: number) => number,
): ReadonlyArray<number> => {
  const kept: Array<number> = []
  let end = -Infinity
  for (const tick of ticks) {
    const half = textWidth(shortNumber(tick)) / 2
    if (at(tick) - half < end + 8) continue
    kept.push(tick)
    end = at(tick) + half
  }
  return kept
}

/** Title, legend and the label of the upright axis; `bottom` is where the plot may begin. */
const header = (chart: LineChart): { readonly parts: string; readonly bottom: number } => {
  const out: Array<string> = []
  let y = margin + 10
  for (const words of flow(chart.title.split(" "), (word) => textWidth(`${word} `, 16))) {
    out.push(`<text class="title" x="${margin}" y="${y}">${escaped(words.join(" "))}</text>`)
    y += lineHeight + 2
  }
  const legendWidth = ({ name }: { readonly name: string }): number => 52 + textWidth(name)
  const entries = chart.series.map(({ name }, rank) => ({ name, rank }))
  for (const row of flow(entries, legendWidth)) {
    let x = margin
    for (const entry of row) {
      const ends: ReadonlyArray<Point> = [
        [x, y - 4],
        [x + 28, y - 4],
      ]
      out.push(
        line(entry.rank, ends, [[x + 14, y - 4]]),
        `<text x="${x + 34}" y="${y}">${escaped(entry.name)}</text>`,
      )
      x += legendWidth(entry)
    }
    y += lineHeight
  }
  out.push(`<text x="${margin}" y="${y + 6}">${escaped(chart.yLabel)}</text>`)
  return { parts: out.join("\n"), bottom: y + 20 }
}

/** Grid, ticks and lines between `top` and `top + plotHeight`. */
const plot = (chart: LineChart, top: number): string => {
  const xScale = chart.xScale ?? "linear"
  const yScale = chart.yScale ?? "linear"
  const points = chart.series.flatMap((series) => series.points)
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  const xTicks = ticksOf(xScale, xs)
  const yTicks = ticksOf(yScale, ys)
  const bottom = top + plotHeight
  const left = Math.ceil(margin + 8 + Math.max(...yTicks.map((t) => textWidth(shortNumber(t)))))
  const right = Math.floor(width - margin - textWidth(shortNumber(xTicks.at(-1) ?? 0)) / 2)
  const xAt = place(xScale, xTicks, left, right)
  const yAt = place(yScale, yTicks, bottom, top)
  return [
    ...yTicks.map(
      (tick) =>
        `<path class="grid" d="M${left} ${yAt(tick)}H${right}"/>` +
        `<text x="${left - 8}" y="${yAt(tick) + 4}" text-anchor="end">${shortNumber(tick)}</text>`,
    ),
    ...labelled(xTicks, xAt).map(
      (tick) =>
        `<path class="grid" d="M${xAt(tick)} ${top}V${bottom + 5}"/>` +
        `<text x="${xAt(tick)}" y="${bottom + 20}" text-anchor="middle">${shortNumber(tick)}</text>`,
    ),
    `<text x="${(left + right) / 2}" y="${bottom + 44}" text-anchor="middle">${escaped(chart.xLabel)}</text>`,
    ...chart.series.map((series, rank) =>
      line(
        rank,
        series.points.map(([x, y]): Point => [xAt(x), yAt(y)]),
      ),
    ),
  ].join("\n")
}

export const lineChart = (chart: LineChart): string => {
  if (chart.series.length > looks.length) throw new Error(`Over ${looks.length} lines in a chart`)
  const { bottom: top, parts } = header(chart)
  const height = top + plotHeight + 60
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">` +
    `<title>${escaped(chart.title)}</title><style>${styles(chart.series.length)}</style>` +
    `<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>\n` +
    `${parts}\n${plot(chart, top)}</svg>\n`
  )
}
