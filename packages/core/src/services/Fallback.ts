/**
 * Sends a code by SMS as well if WhatsApp does not deliver it. Off by default.
 *
 * The second message has its own price. The wait is in the store, so any node sends the message when it is due.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export interface Fallback {
  /** Milliseconds to wait for a report, at most half of the code's lifetime. A rejection does not wait. */
  readonly reportWithinMillis: number
  /** Whether requests without a channel begin on WhatsApp, if the organization can send there. */
  readonly whatsappFirst: boolean
}

export interface Options {
  /** 1,000 to 600,000 milliseconds. @defaultValue 30,000 */
  readonly reportWithinMillis?: number | undefined
  /** `false`: only requests for WhatsApp begin there. @defaultValue false */
  readonly whatsappFirst?: boolean | undefined
}

/** Bounds of `Options.reportWithinMillis`, in milliseconds. */
export const bounds = { min: 1_000, max: 600_000 }

/** The fallback in force. `undefined`, the default: no fallback. */
export const Fallback = Context.Reference<Fallback | undefined>(
  "@countersign/core/services/Fallback",
  {
    defaultValue: () => undefined,
  },
)

/** Makes a fallback from options. Throws a `RangeError` if `reportWithinMillis` is out of bounds. */
export const make = ({ reportWithinMillis = 30_000, whatsappFirst = false }: Options): Fallback => {
  if (!(reportWithinMillis >= bounds.min && reportWithinMillis <= bounds.max)) {
    throw new RangeError(`reportWithinMillis must be from ${bounds.min} to ${bounds.max}`)
  }
  return { reportWithinMillis, whatsappFirst }
}

/** Enables the fallback to SMS in every engine that is built over this layer. */
export const layer = (options: Options = {}): Layer.Layer<never> =>
  Layer.succeed(Fallback, make(options))
