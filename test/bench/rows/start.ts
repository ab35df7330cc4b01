/** Row 11: the time to start the engine, embedded and as the quickstart. */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { freePorts } from "../../support/freePorts.ts"
import { spawnQuickstart, startQuickstart } from "../../support/Quickstart.ts"
import { statusOf, withFolder } from "../apps.ts"
import { runScript } from "../children/child.ts"
import type { StartupInput, StartupResult } from "../children/startup.ts"
import { millis } from "../compared.ts"
import { foreignModules, installInto } from "../installed.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { median, range } from "../stats.ts"

const sizes = { full: { starts: 15, quickstarts: 7 }, quick: { starts: 2, quickstarts: 1 } }

const wantedStart = 150
const wantedQuickstart = 2_000

interface Starts {
  /** With the modules of other packages loaded before. */
  readonly own: ReadonlyArray<StartupResult>
  /** Including the modules of other packages. */
  readonly all: ReadonlyArray<StartupResult>
}

const starts = async (script: string, count: number): Promise<Starts> => {
  const foreign = [
    ...foreignModules(["@countersign/core", "@countersign/http", "@countersign/node"]),
    // The import of the script itself.
    "effect/ManagedRuntime",
  ]
  const run = (input: StartupInput) => runScript<StartupResult>(script, input)
  const own: Array<StartupResult> = []
  const all: Array<StartupResult> = []
  // The first run of each kind fills the caches of the file system.
  for (let turn = 0; turn <= count; turn += 1) {
    const some = [await run({ foreign }), await run({ foreign: [] })] as const
    if (turn === 0) continue
    own.push(some[0])
    all.push(some[1])
  }
  return { own, all }
}

const took = ({ imports, layers }: StartupResult): number => imports + layers

const startFigures = (
  what: string,
  { all, own }: Starts,
  isWanted: boolean,
): ReadonlyArray<Figure> => {
  const ownTime = median(own.map(took))
  const [least, most] = range(own.map(took))
  return [
    {
      work: `Import and layers on memory, ${what}: our own part`,
      ours: `${millis(ownTime)} (${millis(least)} to ${millis(most)})`,
      ...(isWanted ? { wanted: `≤ ${wantedStart} ms`, reached: ownTime <= wantedStart } : {}),
    },
    {
      work: `The same with Effect and libphonenumber, ${what}`,
      ours: millis(median(all.map(took))),
      against: `${millis(median(own.map(({ foreign }) => foreign)))} of it their modules alone`,
    },
  ]
}

const firstAnswer = async (dataDir: string, key: string): Promise<number> => {
  const [port = 0] = await freePorts(1)
  const from = performance.now()
  const { child, ended } = spawnQuickstart(dataDir, { PORT: String(port) })
  try {
    while ((await statusOf(port, `Bearer ${key}`)) !== 200) {
      if (child.exitCode !== null || performance.now() - from > 60_000) {
        throw new Error("The quickstart gave no answer")
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return performance.now() - from
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}

const quickstarts = ({ scale }: Context): Promise<Figure> =>
  withFolder(async (dataDir) => {
    const first = await startQuickstart({ dataDir })
    const key = first.keys["acme"] ?? ""
    await first.stop()
    const times: Array<number> = []
    for (let turn = 0; turn <= sizes[scale].quickstarts; turn += 1) {
      const time = await firstAnswer(dataDir, key)
      if (turn > 0) times.push(time)
    }
    const [least, most] = range(times)
    return {
      work: "Quickstart on an existing embedded folder, from its process to the first answer",
      ours: `${millis(median(times))} (${millis(least)} to ${millis(most)})`,
      wanted: `≤ ${wantedQuickstart} ms`,
      reached: median(times) <= wantedQuickstart,
    }
  })

const child = join(import.meta.dirname, "../children/startup.ts")

export const start: Measurement = {
  id: "start",
  title: "Start",
  rows: [11],
  run: async (context) => {
    const count = sizes[context.scale].starts
    const built = await withFolder(async (folder) => {
      await installInto(folder)
      const script = join(folder, "startup.ts")
      copyFileSync(child, script)
      return starts(script, count)
    })
    const sources = await starts(child, count)
    const boot = median(sources.all.map((one) => one.boot))
    return {
      figures: [
        ...startFigures("built packages", built, true),
        ...startFigures("from the sources of this repository", sources, false),
        await quickstarts(context),
      ],
      notes: [
        `Our own part is the time in which a process that has Node and the modules of Effect and libphonenumber loaded imports the engine, the memory store, the simulated gateway and \`@countersign/node\`, and builds the services; of it, building takes ${millis(median(built.own.map(({ layers }) => layers)))}. Medians over ${count} processes each. Node itself needs ${millis(boot)} before that. Hosts run the built packages; from the sources, Node strips the types of every file at each start.`,
      ],
    }
  },
}
