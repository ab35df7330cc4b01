/** Generates the actions on the outbox. */
import * as fc from "fast-check"
import { type Action, action, often, organizationNames, people } from "./scenario.ts"

const node = fc.nat({ max: 1 })
const org = often(2, fc.constant(0), fc.nat({ max: organizationNames.length - 1 }))
const onQueued = { node, send: fc.nat({ max: 20 }) }
const later = fc.constantFrom(0, 0, 1_000, 60_000)

const queue = action("queue", {
  node,
  org,
  // Excludes the person who never answers: the clock would move while others are sent.
  person: fc.constantFrom(0, 0, 1, 2, 3, 4, people.length),
  isCode: often(2, fc.constant(false), fc.constant(true)),
  orderKey: fc.constantFrom(undefined, undefined, 0),
  delay: later,
  expiry: fc.constantFrom(undefined, undefined, 1, 60_000),
})

/** Actions, and how often each of them is in the list. */
export const outboxActions: ReadonlyArray<readonly [times: number, fc.Arbitrary<Action>]> = [
  [3, queue],
  [1, action("dispatch", onQueued)],
  [1, action("cancelQueued", onQueued)],
  [1, action("reschedule", { ...onQueued, delay: later })],
  [1, action("queuedStatus", onQueued)],
  [2, action("drain", { node })],
]
