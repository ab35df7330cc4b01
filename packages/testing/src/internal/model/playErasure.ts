import { Privacy } from "@countersign/core/services/Privacy"
import type { Real } from "./real.ts"
import type { Reference } from "./reference.ts"
import { callerOf, compare, type Of, phoneOf, resultOf } from "./results.ts"

export const erase = (action: Of<"erase">, reference: Reference, real: Real) => {
  const { node, org, person } = action
  const input = { ...callerOf(real, org, undefined), phoneNumber: phoneOf(person) }
  const call = Privacy.use((privacy) =>
    resultOf(privacy.erase(input), ({ left, messages }) => `erased ${messages}, ${left} left`),
  )
  return compare(
    1,
    () => reference.erase(action),
    () => real.on(node, call),
  )
}
