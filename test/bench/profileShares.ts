/** Whose code a processor's time went into, from a profile that `node --cpu-prof` has written. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
  }>
  readonly samples: ReadonlyArray<number>
  /** Microseconds since the sample before. */
  readonly timeDeltas: ReadonlyArray<number>
}

const ownPackage = /\/packages\/([a-z-]+)\/(?:src|dist)\//
const foreignPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//

const ownerOf = ({ functionName, url }: Profile["nodes"][number]["callFrame"]): string => {
  if (functionName === "(garbage collector)") return "garbage collection"
  if (url.startsWith("node:")) return "Node's own JavaScript"
  const [, own] = ownPackage.exec(url) ?? []
  if (own !== undefined) return `@countersign/${own}`
  const [, foreign] = foreignPackage.exec(url) ?? []
  return foreign ?? (url === "" ? "V8, native code and the system" : "the bench")
}

/** Shares of the time that was not idle in the last so many milliseconds, the largest first. */
export const profileShares = (
  folder: string,
  lastMillis: number,
): ReadonlyArray<readonly [owner: string, share: number]> => {
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"))
  const profile: Profile = JSON.parse(readFileSync(join(folder, file), "utf8"))
  const frames = new Map(profile.nodes.map(({ callFrame, id }) => [id, callFrame]))
  const times = new Map<string, number>()
  let left = lastMillis * 1_000
  let busy = 0
  for (let index = profile.samples.length - 1; index >= 0 && left > 0; index -= 1) {
    const time = profile.timeDeltas[index] ?? 0
    const frame = frames.get(profile.samples[index] ?? 0)
    left -= time
    if (frame === undefined || frame.functionName === "(idle)") continue
    const owner = ownerOf(frame)
    times.set(owner, (times.get(owner) ?? 0) + time)
    busy += time
  }
  return [...times]
    .map(([owner, time]) => [owner, time / busy] as const)
    .toSorted(([, a], [, b]) => b - a)
}
