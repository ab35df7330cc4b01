/** The records that the engine keeps of an organization besides the rows that its rules need. */
import * as Context from "effect/Context"

export interface Records {
  /** Whether totals are counted. All nodes must use the same value. */
  readonly totals: boolean
  /** Whether events get a sequence and are stored. All nodes must use the same value. */
  readonly events: boolean
  /** Whether messages keep their texts. Without them, the text of every stored message is empty. */
  readonly bodies: boolean
  /** Whether administrative changes are audited. All nodes must use the same value. */
  readonly audit: boolean
  /** Whether the newest refusals are kept and all of them counted. The counts need `totals`. */
  readonly refusals: boolean
  /** Whether refusals raise an event, at most once a minute by each node. */
  readonly refusalEvents: boolean
}

export const defaults: Records = {
  totals: true,
  events: true,
  bodies: true,
  audit: true,
  refusals: true,
  refusalEvents: false,
}

/** The records that stores and engines make. Provide it to the layers of both. */
export const Records = Context.Reference<Records>(
  "@countersign/core/domain/organizations/RecordOptions",
  { defaultValue: () => defaults },
)
