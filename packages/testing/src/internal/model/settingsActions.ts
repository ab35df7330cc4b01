/** The actions that change the settings of an organization. */
import * as fc from "fast-check"
import { node, org } from "./actionFields.ts"
import { allowLists, prefixLists } from "./scenario.ts"

export const allow = fc.record({
  tag: fc.constant("allow" as const),
  node,
  org,
  list: fc.nat({ max: allowLists.length - 1 }),
})

export const block = fc.record({
  tag: fc.constant("block" as const),
  node,
  org,
  lists: fc.nat({ max: prefixLists.length - 1 }),
})
