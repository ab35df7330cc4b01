/** Everything that `pnpm bench` can measure, in the order in which it does. */
import type { Measurement } from "./Measurement.ts"
import { betterAuth } from "./rows/betterAuth.ts"
import { check } from "./rows/check.ts"
import { latency } from "./rows/latency.ts"
import { organizations } from "./rows/organizations.ts"
import { send } from "./rows/send.ts"

export const measurements: ReadonlyArray<Measurement> = [
  send,
  organizations,
  check,
  betterAuth,
  latency,
]
