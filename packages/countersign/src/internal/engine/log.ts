/** Writes the log: the lines of the engine, with phone numbers masked and repeats counted. */
import * as Masking from "@countersign/core/domain/values/Masking"
import * as Tracing from "@countersign/core/engine/Tracing"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { refuse, wholeNumber } from "../options/check.ts"
import type { LogLevel, LogRecord } from "../types/logging.ts"
import type { CountersignOptions } from "../types/options.ts"
import { jsonOf } from "./logTable.ts"

export type Log = NonNullable<CountersignOptions["log"]>

const writers = { info: Console.log, warn: Console.warn, error: Console.error }

const isTerminal = (level: LogLevel): boolean =>
  (level === "info" ? process.stdout : process.stderr)?.isTTY === true

const levels: ReadonlyArray<LogLevel> = ["info", "warn", "error"]

/** The line without what is for machines. */
const textOf = ({ error, event, fields, repeated }: Omit<LogRecord, "message">): string => {
  const values = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`
  const more = repeated === undefined ? "" : ` (${repeated} more in the last minute)`
  return `Countersign: ${event}${values}${more}${error === undefined ? "" : ` ${error}`}`
}

/** A line of the log. */
export const recordOf = (record: Omit<LogRecord, "message">): LogRecord => ({
  ...record,
  message: textOf(record),
})

/** A notice of this package, which may contain what a development gateway prints. */
export const notice = (level: LogLevel, event: string): LogRecord =>
  recordOf({ time: new Date(Effect.runSync(Clock.currentTimeMillis)), level, event, fields: {} })

const write =
  (format: "json" | "text" | undefined): Log =>
  (record) => {
    const { level, message } = record
    const isText = format === undefined ? isTerminal(level) : format === "text"
    Effect.runSync(writers[level](isText ? message : jsonOf(record)))
  }

/** Returns where lines go. */
export const logOf = ({
  log,
  logging: { format, level: least = "info" } = {},
}: Pick<CountersignOptions, "log" | "logging">): Log => {
  if (log !== undefined && format !== undefined) {
    return refuse("logging.format goes without log, which gets objects")
  }
  const to = log ?? write(format)
  return (record) => {
    if (levels.indexOf(record.level) >= levels.indexOf(least)) to(record)
  }
}

const window = Duration.minutes(1)

/** Maximum number of events that are counted apart. Sentences are constant, so no engine has as many. */
const maxEvents = 1_000

interface Counted {
  readonly last: LogRecord
  readonly since: number
  readonly written: number
  readonly suppressed: number
}

/** Writes the same event at most `most` times a minute, and counts the others. */
export class RepeatCounter {
  readonly #counted = new Map<string, Counted>()
  readonly #log: Log
  readonly #most: number

  constructor(log: Log, most: number) {
    this.#log = log
    this.#most = most
  }

  /** Returns whether the event was only counted. */
  take(record: LogRecord): boolean {
    const key = `${record.level} ${record.event}`
    const now = record.time.getTime()
    const found = this.#counted.get(key)
    const isOver = found !== undefined && now - found.since >= Duration.toMillis(window)
    if (isOver) this.#end(key, found, record.time)
    const counted = found === undefined || isOver ? undefined : found
    const written = counted?.written ?? 0
    const isWritten = written < this.#most
    if (counted !== undefined || this.#counted.size < maxEvents) {
      this.#counted.set(key, {
        last: record,
        since: counted?.since ?? now,
        written: written + (isWritten ? 1 : 0),
        suppressed: (counted?.suppressed ?? 0) + (isWritten ? 0 : 1),
      })
    }
    if (isWritten) this.#log(record)
    return !isWritten
  }

  /** Writes the numbers of those whose minute is over, and forgets them. `isAll`: of all. */
  flush(now: number, isAll = false): void {
    for (const [key, counted] of this.#counted) {
      const isOver = now - counted.since >= Duration.toMillis(window)
      if (isOver || isAll) this.#end(key, counted, new Date(now))
    }
  }

  /** Whether a number waits to be written. */
  get isWaiting(): boolean {
    return [...this.#counted.values()].some(({ suppressed }) => suppressed > 0)
  }

  #end(key: string, { last, suppressed }: Counted, time: Date): void {
    this.#counted.delete(key)
    if (suppressed === 0) return
    const { event, level } = last
    this.#log(recordOf({ time, level, event, fields: {}, repeated: suppressed }))
  }
}

/** Values without phone numbers and credentials. Ids of the engine have none. */
const masked = (value: unknown): unknown => {
  if (typeof value === "string") return Masking.words(value)
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(one)]))
}

const fieldsOf = (parts: ReadonlyArray<unknown>): Readonly<Record<string, unknown>> => {
  const fields: Record<string, unknown> = {}
  for (const part of parts) {
    const value = masked(part)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      Object.assign(fields, value)
    } else fields["value"] = value
  }
  return fields
}

const defaultRepeats = 10

/** Writes the lines of the engine, of the levels `warn` and `error`. */
export const layerLog = (
  log: Log,
  { repeats = defaultRepeats }: NonNullable<CountersignOptions["logging"]> = {},
): Layer.Layer<never> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const most = wholeNumber("logging.repeats", repeats, { min: 1 }) ?? defaultRepeats
      const counter = new RepeatCounter(log, most)
      const isWaiting = Latch.makeUnsafe()
      const flush = (isAll: boolean) =>
        Effect.map(Clock.currentTimeMillis, (now) => counter.flush(now, isAll))
      yield* Effect.addFinalizer(() => flush(true))
      yield* isWaiting.await.pipe(
        Effect.andThen(Effect.sleep(window)),
        Effect.andThen(flush(false)),
        Effect.andThen(
          Effect.sync(() => {
            if (!counter.isWaiting) isWaiting.closeUnsafe()
          }),
        ),
        Effect.forever,
        Effect.forkScoped,
      )
      const logger = Logger.make(({ cause, date, fiber, logLevel, message }) => {
        if (logLevel !== "Warn" && logLevel !== "Error" && logLevel !== "Fatal") return
        const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
        const [event, ...others] = parts
        const span = Tracing.current(fiber.context)
        const isRecorded = span?.sampled === true && Tracing.isTraced(fiber.context)
        const isCounted = counter.take(
          recordOf({
            time: date,
            level: logLevel === "Warn" ? "warn" : "error",
            event: Masking.words(String(event)),
            fields: fieldsOf(others),
            error: cause.reasons.length === 0 ? undefined : Masking.words(Cause.pretty(cause)),
            traceId: isRecorded ? span.traceId : undefined,
            spanId: isRecorded ? span.spanId : undefined,
          }),
        )
        if (isCounted) isWaiting.openUnsafe()
      })
      return Logger.layer([logger])
    }),
  )
