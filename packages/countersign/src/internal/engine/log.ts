import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { CountersignOptions } from "../types/options.ts"

export type Log = NonNullable<CountersignOptions["log"]>

const writers = { info: Console.log, warn: Console.warn, error: Console.error }

export const toConsole: Log = ({ level, message }) => Effect.runSync(writers[level](message))

export const layerLog = (log: Log) =>
  Logger.layer([
    Logger.make(({ cause, logLevel, message }) => {
      const level = logLevel === "Warn" ? "warn" : "error"
      if (logLevel !== "Warn" && logLevel !== "Error" && logLevel !== "Fatal") return
      const words = (Array.isArray(message) ? message : [message]).map((part: unknown) =>
        typeof part === "string" ? part : JSON.stringify(part),
      )
      const why = cause.reasons.length === 0 ? "" : ` ${Cause.pretty(cause)}`
      log({ level, message: `Countersign: ${words.join(" ")}${why}` })
    }),
  ])
