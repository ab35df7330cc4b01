import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { assert, it } from "vitest"
import type { LogRecord } from "../../src/index.ts"
import { layerLog } from "../../src/internal/engine/log.ts"

it("a line of the engine's log has its cause, if it has one", () => {
  const records: Array<LogRecord> = []
  Effect.logWarning("slow").pipe(
    Effect.andThen(Effect.logError("failed", Cause.fail("no room"))),
    Effect.andThen(Effect.logInfo("fine")),
    Effect.provide(layerLog((record) => void records.push(record))),
    Effect.runSync,
  )
  assert.deepInclude(records[0], { level: "warn", message: "Countersign: slow" })
  assert.match(records[1]?.message ?? "", /^Countersign: failed .*no room/)
  assert.lengthOf(records, 2)
})
