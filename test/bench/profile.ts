/**
 * Reads the CPU profiles of `node --cpu-prof`, and assigns processor time to packages.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The fields of a `.cpuprofile` that this module reads. */
export interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: CallFrame
    readonly children?: ReadonlyArray<number>
  }>
  /** The node on top of the stack in each sample. */
  readonly samples: ReadonlyArray<number>
  /** Microseconds between each sample and the previous one. */
  readonly timeDeltas: ReadonlyArray<number>
}

export interface CallFrame {
  readonly functionName: string
  readonly url: string
  /** From 0. */
  readonly lineNumber: number
}

/** Reads the profile that a process has written to its folder. */
export const readProfile = (folder: string): Profile => {
  const file = readdirSync(folder).find((name) => name.endsWith(".cpuprofile"))
  if (file === undefined) throw new Error("The process has written no profile")
  return JSON.parse(readFileSync(join(folder, file), "utf8"))
}

/** The location of a function: its package, and its file in that package. */
export interface Place {
  readonly package: string
  readonly file: string
  readonly group: "countersign" | "effect" | "node" | "other"
}

const installed = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/
const workspace = /^.*\/packages\/([^/]+)\/(.*)$/

export const placeOf = (url: string): Place => {
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
  // A script outside of packages, such as the one that starts the service.
  return { package: "the bench", file: url.slice(url.lastIndexOf("/") + 1), group: "other" }
}

export const isIdle = ({ functionName, url }: CallFrame): boolean =>
  url === "" && functionName === "(idle)"

/** Returns the self time of each node in microseconds, at the end of the profile. */
export const selfTimes = (profile: Profile, lastMicros: number): ReadonlyMap<number, number> => {
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

/** Returns the share of each package in the self time, largest first. */
export const selfShares = (
  profile: Profile,
  lastMicros = Infinity,
): ReadonlyArray<readonly [name: string, share: number]> => {
  const times = selfTimes(profile, lastMicros)
  const shares = new Map<string, number>()
  let all = 0
  for (const { callFrame, id } of profile.nodes) {
    const micros = times.get(id) ?? 0
    if (micros === 0 || isIdle(callFrame)) continue
    const isCollector = callFrame.functionName === "(garbage collector)"
    const name = isCollector ? "garbage collection" : placeOf(callFrame.url).package
    shares.set(name, (shares.get(name) ?? 0) + micros)
    all += micros
  }
  return [...shares]
    .map(([name, micros]) => [name, micros / all] as const)
    .toSorted(([, a], [, b]) => b - a)
}

/** Formats the shares of at least half a percent. */
export const listShares = (profile: Profile, lastMicros: number): string =>
  selfShares(profile, lastMicros)
    .filter(([, share]) => share >= 0.005)
    .map(([name, share]) => `${name} ${(100 * share).toFixed(1)} %`)
    .join(", ")
