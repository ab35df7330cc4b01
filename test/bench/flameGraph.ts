/**
 * A flame graph of a V8 CPU profile (`node --cpu-prof`): one SVG without scripts or references, with names
 * of files as they are inside of their packages. The wider a frame, the more processor time it and what
 * it calls have taken; callers stand below what they call.
 */

/** What is used of a `.cpuprofile`. */
export interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      /** From 0. */
      readonly lineNumber: number
    }
    readonly children?: ReadonlyArray<number>
  }>
  /** The nodes that were on top, one for each sample. */
  readonly samples: ReadonlyArray<number>
  /** Microseconds from each sample to the one before. */
  readonly timeDeltas: ReadonlyArray<number>
}

type CallFrame = Profile["nodes"][number]["callFrame"]

const groups = {
  countersign: { name: "Countersign", colour: "#7db7f0" },
  effect: { name: "effect, @effect/*", colour: "#f2b36f" },
  node: { name: "Node.js and V8", colour: "#b9c2a5" },
  other: { name: "other packages", colour: "#d3a9d8" },
} as const

export type Group = keyof typeof groups

/** Where a function is: its package, and its file there. */
interface Place {
  readonly package: string
  readonly file: string
  readonly group: Group
}

const installed = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/
const workspace = /^.*\/packages\/([^/]+)\/(.*)$/

const placeOf = (url: string): Place => {
  const [, name = "", rest = ""] = installed.exec(url) ?? []
  if (name !== "") {
    const group = name === "effect" || name.startsWith("@effect/") ? "effect" : "other"
    return { package: name, file: `${name}/${rest}`, group }
  }
  const [, folder = "", file = ""] = workspace.exec(url) ?? []
  if (folder !== "") {
    const own = `@countersign/${folder}`
    return { package: own, file: `${own}/${file}`, group: "countersign" }
  }
  if (url === "" || url.startsWith("node:")) {
    return { package: "Node.js and V8", file: url || "V8", group: "node" }
  }
  // A script of no package, such as what sets the service up.
  return { package: "the bench", file: url.slice(url.lastIndexOf("/") + 1), group: "other" }
}

/** Calls of one function from the same place of the tree. */
interface Frame {
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

/** Waiting is no work. */
const isWaiting = ({ functionName, url }: CallFrame): boolean =>
  url === "" && functionName === "(idle)"

/** Microseconds in each node itself, of the end of the profile only where that is asked for. */
const selfTimes = (profile: Profile, lastMicros: number): ReadonlyMap<number, number> => {
  const times = new Map<number, number>()
  let left = lastMicros
  for (let index = profile.samples.length - 1; index >= 0 && left > 0; index--) {
    const id = profile.samples[index] ?? 0
    const micros = Math.max(0, profile.timeDeltas[index] ?? 0)
    times.set(id, (times.get(id) ?? 0) + micros)
    left -= micros
  }
  return times
}

/** All work, with calls of the same function merged; a function that calls itself is one frame. */
const tree = (profile: Profile, lastMicros: number): Frame => {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const times = selfTimes(profile, lastMicros)
  const add = (id: number, parent: Frame): number => {
    const node = nodes.get(id)
    if (node === undefined || isWaiting(node.callFrame)) return 0
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
  return root
}

/** Share of the work by package, in the functions themselves and not in what they call; largest first. */
export const selfShares = (
  profile: Profile,
  lastMicros = Infinity,
): ReadonlyArray<readonly [name: string, share: number]> => {
  const { nodes } = profile
  const times = selfTimes(profile, lastMicros)
  const shares = new Map<string, number>()
  let all = 0
  for (const { callFrame, id } of nodes) {
    const micros = times.get(id) ?? 0
    if (micros === 0 || isWaiting(callFrame)) continue
    const isCollector = callFrame.functionName === "(garbage collector)"
    const name = isCollector ? "garbage collection" : placeOf(callFrame.url).package
    shares.set(name, (shares.get(name) ?? 0) + micros)
    all += micros
  }
  return [...shares]
    .map(([name, micros]) => [name, micros / all] as const)
    .toSorted(([, a], [, b]) => b - a)
}

const width = 1_200
const margin = 12
const rowHeight = 17
/** Frames that are narrower are left out: nobody can see them, and there are many thousands. */
const narrowest = 1.5
const letterWidth = 6.6

const escaped = (text: string): string =>
  text.replace(/[<>&]/g, (one) => ({ "<": "&lt;", ">": "&gt;" })[one] ?? "&amp;")

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

interface Drawn {
  readonly frame: Frame
  readonly x: number
  readonly depth: number
}

const visible = (root: Frame, scale: number): ReadonlyArray<Drawn> => {
  const found: Array<Drawn> = []
  const add = (frame: Frame, x: number, depth: number): void => {
    if (frame.total * scale < narrowest) return
    found.push({ frame, x, depth })
    let at = x
    const inOrder = [...frame.children.values()].toSorted((a, b) => b.total - a.total)
    for (const child of inOrder) {
      add(child, at, depth + 1)
      at += child.total * scale
    }
  }
  add(root, margin, 0)
  return found
}

const drawn = ({ frame, x }: Drawn, y: number, root: Frame, scale: number): string => {
  const { name, place, self, total } = frame
  const wide = total * scale
  const room = Math.floor((wide - 6) / letterWidth)
  const label = name.length <= room ? name : `${name.slice(0, Math.max(0, room - 1))}…`
  return (
    `<g><title>${escaped(`${name}, ${place.file}: ${percent(total / root.total)}, itself ${percent(self / root.total)}`)}</title>` +
    `<rect class="${place.group}" x="${x.toFixed(1)}" y="${y}" width="${(wide - 0.4).toFixed(1)}" height="${rowHeight - 1}"/>` +
    `${room < 3 ? "" : `<text class="name" x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(label)}</text>`}</g>`
  )
}

const legend = (root: Frame): string => {
  const of = (frame: Frame, group: Group): number =>
    (frame.place.group === group ? frame.self : 0) +
    [...frame.children.values()].reduce((sum, child) => sum + of(child, group), 0)
  const entries = [...(["countersign", "effect", "node", "other"] as const)]
  return entries
    .map((group, rank) => {
      const x = margin + rank * 240
      return (
        `<rect class="${group}" x="${x}" y="38" width="14" height="14"/>` +
        `<text x="${x + 20}" y="50">${groups[group].name}: ${percent(of(root, group) / root.total)}</text>`
      )
    })
    .join("")
}

const styles =
  `text{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:11px;fill:#24292f}` +
  `.title{font-family:system-ui,"Segoe UI","DejaVu Sans",sans-serif;font-size:16px;font-weight:600}` +
  `.paper{fill:#ffffff;stroke:#d8dee4}` +
  Object.entries(groups)
    .map(([group, { colour }]) => `.${group}{fill:${colour}}`)
    .join("") +
  `@media(prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117;stroke:#30363d}text.name{fill:#10151c}}`

export interface FlameGraph {
  readonly title: string
  readonly profile: Profile
  /** Only the end of the profile, so long; all of it when left out. */
  readonly lastMicros?: number | undefined
}

export const flameGraph = ({ lastMicros = Infinity, profile, title }: FlameGraph): string => {
  const root = tree(profile, lastMicros)
  if (root.total === 0) throw new Error("The profile has no work in it")
  const scale = (width - 2 * margin) / root.total
  const frames = visible(root, scale)
  const deepest = Math.max(...frames.map(({ depth }) => depth))
  const height = 64 + (deepest + 1) * rowHeight + margin
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">` +
    `<title>${escaped(title)}</title><style>${styles}</style>` +
    `<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>` +
    `<text class="title" x="${margin}" y="26">${escaped(title)}</text>${legend(root)}\n` +
    `${frames.map((one) => drawn(one, 64 + (deepest - one.depth) * rowHeight, root, scale)).join("\n")}</svg>\n`
  )
}
