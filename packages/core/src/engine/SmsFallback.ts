/**
 * Sends a code by SMS as well if WhatsApp does not deliver it. Off by default.
 *
 * The second message has its own price. The wait is in the store, so any node sends the message when it is due.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Duration from "../domain/values/Duration.ts"

export interface Fallback {
  /** Milliseconds to wait for a report, at most half of the code's lifetime. A rejection does not wait. */
  readonly reportWithinMillis: number
  /** Whether requests without a channel begin on WhatsApp, if the organization can send there. */
  readonly whatsappFirst: boolean
}

export interface Options {
  /** How long to wait for a delivery report: 1 second to 10 minutes. @defaultValue `"30 seconds"` */
  readonly reportWithin?: Duration.Input | undefined
  /** `false`: only requests for WhatsApp begin there. @defaultValue false */
  readonly whatsappFirst?: boolean | undefined
}

/** Bounds of `Options.reportWithin`, in milliseconds. */
export const bounds = { min: 1_000, max: 600_000 }

/** The fallback in force. `undefined`, the default: no fallback. */
export const Fallback = Context.Reference<Fallback | undefined>(
  "@countersign/core/engine/SmsFallback",
  { defaultValue: () => undefined },
)

/** Makes a fallback from options. Throws a `RangeError` if `reportWithin` is no duration or out of bounds. */
export const make = ({
  reportWithin = "30 seconds",
  whatsappFirst = false,
}: Options): Fallback => ({
  reportWithinMillis: Duration.millisOfOption("reportWithin", reportWithin, bounds),
  whatsappFirst,
})

/** Enables the fallback to SMS in every engine that is built over this layer. */
export const layer = (options: Options = {}): Layer.Layer<never> =>
  Layer.succeed(Fallback, make(options))
