/** An app on Express with PostgreSQL, with Countersign and without it: the time to its first answer, and its memory. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { createCountersign } from "countersign"
import { build } from "esbuild"
import { freePorts } from "../../support/freePorts.ts"
import { statusOf, withFolder } from "../apps.ts"
import { installInto } from "../installed.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { freshDatabase } from "../services/Service.ts"
import { residentBytes } from "../services/processTimes.ts"
import { inTurns } from "../sides.ts"
import { median, range } from "../stats.ts"

const sizes = { full: { turns: 7, idleMillis: 1_000 }, quick: { turns: 1, idleMillis: 100 } }

const wanted = { millis: 400, megabytes: 120 }

/** One start of the app. */
interface Start {
  readonly millis: number
  /** Resident, some time after the first answer. */
  readonly megabytes: number
}

const startOnce = async (
  { scale }: Context,
  script: string,
  key: string,
  given: Readonly<Record<string, string>>,
): Promise<Start> => {
  const [port = 0] = await freePorts(1)
  const env = { ...process.env, ...given, PORT: String(port) }
  const from = performance.now()
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "ignore", "inherit"] })
  const ended = once(child, "exit")
  try {
    while ((await statusOf(port, `Bearer ${key}`)) !== 200) {
      if (child.exitCode !== null || performance.now() - from > 60_000) {
        throw new Error("The app gave no answer")
      }
      await pause(2)
    }
    const taken = performance.now() - from
    await pause(sizes[scale].idleMillis)
    return { millis: taken, megabytes: residentBytes(child.pid ?? 0) / 1e6 }
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}

/** Creates the tables and a key, so that the measured starts find both. */
const createKey = async (database: string, secret: string): Promise<string> => {
  await using engine = await createCountersign({ database, secret, log: () => {} })
  return (await engine.apiKeys.create({ name: "bench" })).key
}

const figure = (
  work: string,
  most: number,
  unit: "ms" | "MB",
  ours: ReadonlyArray<number>,
  bare: ReadonlyArray<number>,
): Figure => {
  const format = (value: number): string => `${value.toFixed(0)} ${unit}`
  const [low, high] = range(ours)
  return {
    work,
    ours: `${format(median(ours))} (${format(low)} to ${format(high)})`,
    against: `${format(median(bare))} Express alone`,
    ratio: median(ours) / median(bare),
    wanted: `≤ ${most} ${unit}`,
    reached: median(ours) <= most,
  }
}

const source = join(import.meta.dirname, "../children/app.ts")

export const app: Measurement = {
  id: "app",
  title: "An app on Express",
  rows: [],
  run: (context) =>
    withFolder(async (folder) => {
      await installInto(folder)
      const script = join(folder, "app.mjs")
      // Node's own removal of types takes time and memory.
      await build({ entryPoints: [source], outfile: script, format: "esm", logLevel: "silent" })
      const database = await freshDatabase(await context.postgresUrl())
      try {
        const secret = randomBytes(24).toString("hex")
        const key = await createKey(database.url, secret)
        const env = { APP_DATABASE_URL: database.url, APP_SECRET: secret }
        const sides = [env, {}].map((given) => () => startOnce(context, script, key, given))
        // The first start of each kind fills the caches of the file system.
        for (const side of sides) await side()
        const [ours = [], bare = []] = await inTurns(context, sides, sizes[context.scale].turns)
        const of = (side: ReadonlyArray<Start>, value: keyof Start) => side.map((one) => one[value])
        return {
          figures: [
            figure(
              "App on Express with PostgreSQL: from its process to the first answer",
              wanted.millis,
              "ms",
              of(ours, "millis"),
              of(bare, "millis"),
            ),
            figure(
              "App on Express with PostgreSQL: resident memory a second later",
              wanted.megabytes,
              "MB",
              of(ours, "megabytes"),
              of(bare, "megabytes"),
            ),
          ],
          notes: [
            "The app uses the built packages, on a database that has its tables. The answer is a balance, for a key; Express alone answers with a constant.",
          ],
        }
      } finally {
        await database.drop()
      }
    }),
}
