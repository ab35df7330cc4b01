/**
 * When a code that was to arrive over WhatsApp is sent by SMS as well.
 *
 * Off unless a host says otherwise. The same code goes out again, in a message of its own with a price of
 * its own, and whatever was not taken is given back as ever. It is in the memory of the node that sent it
 * and nowhere else, so a node that stops while it waits sends no second message.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export interface Fallback {
  /**
   * How long a report of arrival is waited for, but never beyond half of the time that the code is good
   * for. A refusal is waited for by nobody.
   */
  readonly reportWithinMillis: number
  /** Whether requests that name no channel begin on WhatsApp, where the organization can send there. */
  readonly whatsappFirst: boolean
}

export interface Options {
  /** 1,000 to 600,000; 30,000 when left out. */
  readonly reportWithinMillis?: number | undefined
  /** `false` when left out: only requests for WhatsApp begin there. */
  readonly whatsappFirst?: boolean | undefined
}

/** What `Options.reportWithinMillis` may be. */
export const bounds = { min: 1_000, max: 600_000 }

/** The fallback in force; none unless the host names one. */
export const Fallback = Context.Reference<Fallback | undefined>(
  "@countersign/core/services/Fallback",
  {
    defaultValue: () => undefined,
  },
)

/** A fallback from options. Throws a `RangeError` for a time that makes no sense. */
export const make = ({ reportWithinMillis = 30_000, whatsappFirst = false }: Options): Fallback => {
  if (!(reportWithinMillis >= bounds.min && reportWithinMillis <= bounds.max)) {
    throw new RangeError(`reportWithinMillis must be from ${bounds.min} to ${bounds.max}`)
  }
  return { reportWithinMillis, whatsappFirst }
}

/** Has every engine that is built over it fall back on SMS. */
export const layer = (options: Options = {}): Layer.Layer<never> =>
  Layer.succeed(Fallback, make(options))

/** How long a report on a code that is good for `expirySeconds` is waited for, in milliseconds. */
export const patienceOf = (
  { reportWithinMillis }: Fallback,
  { expirySeconds }: { readonly expirySeconds: number },
): number => Math.min(reportWithinMillis, expirySeconds * 500)
