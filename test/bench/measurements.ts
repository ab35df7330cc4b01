/** All measurements of `pnpm bench`, in their order. */
import type { Measurement } from "./Measurement.ts"
import { app } from "./rows/app.ts"
import { base } from "./rows/base.ts"
import { betterAuth } from "./rows/betterAuth.ts"
import { check } from "./rows/check.ts"
import { core } from "./rows/core.ts"
import { disk } from "./rows/disk.ts"
import { flame } from "./rows/flame.ts"
import { flood } from "./rows/flood.ts"
import { fullDatabase } from "./rows/fullDatabase.ts"
import { latency } from "./rows/latency.ts"
import { log } from "./rows/log.ts"
import { memory } from "./rows/memory.ts"
import { mounts } from "./rows/mounts.ts"
import { nodes } from "./rows/nodes.ts"
import { organizations } from "./rows/organizations.ts"
import { outbox } from "./rows/outbox.ts"
import { overhead } from "./rows/overhead.ts"
import { overload } from "./rows/overload.ts"
import { quickstart } from "./rows/quickstart.ts"
import { records } from "./rows/records.ts"
import { retention } from "./rows/retention.ts"
import { send } from "./rows/send.ts"
import { start } from "./rows/start.ts"
import { tracing } from "./rows/tracing.ts"

export const measurements: ReadonlyArray<Measurement> = [
  send,
  organizations,
  check,
  betterAuth,
  latency,
  overhead,
  mounts,
  quickstart,
  outbox,
  log,
  fullDatabase,
  core,
  memory,
  disk,
  start,
  app,
  nodes,
  flood,
  overload,
  records,
  tracing,
  retention,
  flame,
  base,
]
