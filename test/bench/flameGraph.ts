/**
 * A flame graph of a CPU profile, drawn by Apache ECharts, with names of files as they are inside their
 * packages. The width of a frame is its share of the processor time. Callers are below the functions that
 * they call.
 */
import type { CustomSeriesOption } from "echarts"
import { type CallFrame, isIdle, type Place, placeOf, type Profile, selfTimes } from "./profile.ts"
import { themedSvg } from "./themedSvg.ts"

/** The calls of one function at the same position in the tree. */
export interface Frame {
  readonly name: string
  readonly place: Place
  self: number
  total: number
  readonly children: Map<string, Frame>
}

const frameOf = ({ functionName, lineNumber, url }: CallFrame): Frame => {
  const place = placeOf(url)
  const file = url === "" ? place.file : `${place.file}:${lineNumber + 1}`
  return {
    name: functionName || "(anonymous)",
    place: { ...place, file },
    self: 0,
    total: 0,
    children: new Map(),
  }
}

/** Returns all work with calls of the same function merged. A recursive function is one frame. */
export const callTree = (profile: Profile, lastMicros = Infinity): Frame => {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const times = selfTimes(profile, lastMicros)
  const add = (id: number, parent: Frame): number => {
    const node = nodes.get(id)
    if (node === undefined || isIdle(node.callFrame)) return 0
    const made = frameOf(node.callFrame)
    const key = `${made.name} ${made.place.file}`
    const isRecursion = parent.name === made.name && parent.place.file === made.place.file
    const frame = isRecursion ? parent : (parent.children.get(key) ?? made)
    if (!isRecursion) parent.children.set(key, frame)
    const self = times.get(id) ?? 0
    let total = self
    for (const child of node.children ?? []) total += add(child, frame)
    frame.self += self
    if (!isRecursion) frame.total += total
    return total
  }
  const [first] = profile.nodes
  const root = frameOf({ functionName: "all work", url: "", lineNumber: 0 })
  for (const id of first?.children ?? []) root.total += add(id, root)
  if (root.total === 0) throw new Error("The profile has no work in it")
  return root
}

/** A frame and its position in the picture. */
interface Placed {
  readonly frame: Frame
  readonly start: number
  readonly depth: number
}

/** Returns the frames that are wide enough to be visible. A profile has many thousands of others. */
const visible = (root: Frame): ReadonlyArray<Placed> => {
  const found: Array<Placed> = []
  const add = (frame: Frame, start: number, depth: number): void => {
    if (frame.total < root.total / 800) return
    found.push({ frame, start, depth })
    let at = start
    for (const child of [...frame.children.values()].toSorted((a, b) => b.total - a.total)) {
      add(child, at, depth + 1)
      at += child.total
    }
  }
  add(root, 0, 0)
  return found
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const groups = {
  countersign: { name: "Countersign", color: "#7db7f0" },
  effect: { name: "effect, @effect/*", color: "#f2b36f" },
  node: { name: "Node.js and V8", color: "#b9c2a5" },
  other: { name: "other packages", color: "#d3a9d8" },
} as const

const rowHeight = 17

const labelOf = (text: string, width: number) => ({
  textConfig: { position: "insideLeft" as const, distance: 3 },
  textContent: {
    type: "text" as const,
    style: { text, width, overflow: "truncate" as const, fill: "#10151c", fontSize: 11 },
  },
})

/** The frames of one group of packages, which the legend names with its share of the work. */
const seriesOf = (
  root: Frame,
  frames: ReadonlyArray<Placed>,
  group: keyof typeof groups,
): CustomSeriesOption => {
  const own = frames.filter(({ frame }) => frame.place.group === group)
  const selfOf = (frame: Frame): number =>
    (frame.place.group === group ? frame.self : 0) +
    [...frame.children.values()].reduce((sum, child) => sum + selfOf(child), 0)
  const { color, name } = groups[group]
  return {
    type: "custom",
    silent: true,
    name: `${name}: ${percent(selfOf(root) / root.total)}`,
    itemStyle: { color },
    data: own.map(({ depth, frame, start }) => [start, depth, frame.total]),
    renderItem: ({ dataIndex }, { coord, size, value }) => {
      const [x = 0, y = 0] = coord([value(0), value(1)])
      const [width = 0] = [size?.([value(2), 0]) ?? 0].flat()
      const frame = own[dataIndex]?.frame ?? root
      const { file } = frame.place
      const text = `${frame.name}, ${file}: ${percent(frame.total / root.total)}`
      return {
        type: "rect",
        shape: { x, y: y - rowHeight, width: width - 0.4, height: rowHeight - 1 },
        style: { fill: color },
        // Without a browser, ECharts estimates the width of a text, which can be too low.
        ...(width < 24 ? {} : labelOf(text, 0.85 * width - 6)),
      }
    },
  }
}

export interface FlameGraph {
  readonly title: string
  readonly profile: Profile
  /** The length of the shown part at the end of the profile. `@defaultValue Infinity` */
  readonly lastMicros?: number | undefined
}

export const flameGraph = ({ lastMicros, profile, title }: FlameGraph): string => {
  const root = callTree(profile, lastMicros)
  const frames = visible(root)
  const rows = Math.max(...frames.map(({ depth }) => depth)) + 1
  const height = 76 + rows * rowHeight
  return themedSvg(
    { title, width: 1_200, height },
    {
      legend: { left: 12, top: 40, itemGap: 24, textStyle: { color: "#24292f" } },
      grid: { left: 12, right: 12, top: 64, bottom: 12 },
      xAxis: { type: "value", show: false, min: 0, max: root.total },
      yAxis: { type: "value", show: false, min: 0, max: rows },
      series: [
        seriesOf(root, frames, "countersign"),
        seriesOf(root, frames, "effect"),
        seriesOf(root, frames, "node"),
        seriesOf(root, frames, "other"),
      ],
    },
  )
}
