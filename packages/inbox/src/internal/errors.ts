import type { Duration } from "@countersign/core/domain/values/DurationText"

/** The time of a call that does not wait. */
export const noTime = "0 seconds"

/** No code came in time, or the inbox ended. Names neither the number nor a code. */
export class NoCodeError extends Error {
  readonly _tag = "NoCodeError"
  override readonly name = "NoCodeError"
  /** The time that was waited. */
  readonly timeout: Duration

  constructor(timeout: Duration) {
    super(
      timeout === noTime
        ? "No code was sent to this number"
        : `No code was sent to this number within ${timeout}`,
    )
    this.timeout = timeout
  }
}

/** The inbox shows every code to every reader, and this process serves real users. */
export class NotForProductionError extends Error {
  readonly _tag = "NotForProductionError"
  override readonly name = "NotForProductionError"

  constructor() {
    super(
      "The inbox shows all messages and codes, so it does not start in production. Set allowInProduction if that is intended.",
    )
  }
}
