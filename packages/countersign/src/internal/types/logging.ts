/** How serious a line of the log is. */
export type LogLevel = "info" | "warn" | "error"

/**
 * A line of the log. It contains no secret. It contains codes and full phone numbers only if an engine without gateways
 * prints its messages in development.
 */
export interface LogRecord {
  /** When it was written. */
  readonly time: Date
  /** How serious it is. */
  readonly level: LogLevel
  /** The event, in a sentence that is the same each time. */
  readonly event: string
  /** The values that belong to it: ids of organizations, names of gateways. Phone numbers are masked. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The cause, if there is one. Phone numbers and credentials are masked. */
  readonly error?: string | undefined
  /** How many of these events the line stands for, beside those that were written. */
  readonly repeated?: number | undefined
  /** The trace in which it has happened, if one is recorded. */
  readonly traceId?: string | undefined
  /** The span in which it has happened, if one is recorded. */
  readonly spanId?: string | undefined
  /** All of it for people. Begins with `Countersign: `. */
  readonly message: string
}

/** Which lines are written, and how. */
export interface LoggingOptions {
  /** Lines below this level are dropped. @defaultValue `info` */
  readonly level?: LogLevel | undefined
  /**
   * `json`: one object a line. `text`: for people. Not together with `log`.
   * @defaultValue `text` in a terminal, otherwise `json`
   */
  readonly format?: "json" | "text" | undefined
  /**
   * How often the same event is written in a minute. @defaultValue 10
   */
  readonly repeats?: number | undefined
}
