import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import type { LogRecord } from "../../src/index.ts"
import { layerLog, logOf, notice } from "../../src/internal/engine/log.ts"
import { jsonOf, logTable } from "../../src/internal/engine/logTable.ts"

/** Runs a test on the clock of tests. */
const onTestClock = <A, E>(test: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(test, TestClock.layer()))

/** What an engine writes while steps run, and when it ends. */
const written = <A, E>(steps: Effect.Effect<A, E>, repeats?: number) =>
  Effect.suspend(() => {
    const records: Array<LogRecord> = []
    return steps.pipe(
      Effect.andThen(Effect.sync(() => [...records])),
      Effect.provide(layerLog((record) => void records.push(record), { repeats })),
      Effect.map((before) => ({ before, records })),
    )
  })

describe("a line of the engine's log", () => {
  it("has its event, its values and its cause, if it has one", () =>
    onTestClock(
      Effect.gen(function* () {
        const { records } = yield* written(
          Effect.logWarning("slow", { organization: "acme", count: 3n }).pipe(
            Effect.andThen(Effect.logError("failed", Cause.fail("no room"))),
            Effect.andThen(Effect.logInfo("fine")),
          ),
        )
        const [slow, failed, ...others] = records
        assert.deepStrictEqual(others, [])
        assert.deepInclude(slow, {
          level: "warn",
          event: "slow",
          fields: { organization: "acme", count: "3" },
          message: 'Countersign: slow {"organization":"acme","count":"3"}',
        })
        assert.deepInclude(failed, { level: "error", event: "failed" })
        assert.match(failed?.error ?? "", /no room/)
        assert.match(failed?.message ?? "", /^Countersign: failed .*no room/)
      }),
    ))

  it("has no phone number and no credential in clear", () =>
    onTestClock(
      Effect.gen(function* () {
        const { records } = yield* written(
          Effect.logError(
            "to +8801712345678",
            { list: ["+8801712345678"], deep: { url: "https://user:password@example.com" } },
            Cause.fail(new Error("Bearer abcdef for 8801712345678")),
          ),
        )
        const text = JSON.stringify(records)
        for (const secret of ["12345678", "password", "abcdef"]) assert.notInclude(text, secret)
        assert.include(text, "+8801*****678")
      }),
    ))

  it("is written so often in a minute, and then counted", () =>
    onTestClock(
      Effect.gen(function* () {
        const { before, records } = yield* written(
          Effect.gen(function* () {
            yield* Effect.replicateEffect(Effect.logWarning("slow"), 7)
            yield* Effect.replicateEffect(Effect.logError("slow"), 2)
            yield* TestClock.adjust("61 seconds")
            yield* Effect.replicateEffect(Effect.logWarning("slow"), 5)
          }),
          3,
        )
        const shown = (all: ReadonlyArray<LogRecord>) =>
          all.map(({ level, repeated }) => `${level} ${repeated ?? "once"}`)
        assert.deepStrictEqual(shown(before), [
          "warn once",
          "warn once",
          "warn once",
          "error once",
          "error once",
          "warn 4",
          "warn once",
          "warn once",
          "warn once",
        ])
        // The end of the engine does not lose the last number.
        assert.deepStrictEqual(shown(records.slice(before.length)), ["warn 2"])
        assert.strictEqual(before[5]?.message, "Countersign: slow (4 more in the last minute)")
      }),
    ))
})

describe("the format", () => {
  const record: LogRecord = {
    ...notice("warn", "slow"),
    time: new Date(0),
    fields: { gateway: "twilio" },
    error: "no room",
    repeated: 2,
    traceId: "a",
    spanId: "b",
  }

  it("of JSON is one line with the members of the table", () => {
    assert.strictEqual(
      jsonOf({ ...record, event: "two\nlines" }),
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","event":"two\\nlines","fields":{"gateway":"twilio"},"error":"no room","repeated":2,"traceId":"a","spanId":"b"}',
    )
    assert.deepStrictEqual(Object.keys(JSON.parse(jsonOf(record))), Object.keys(logTable))
    assert.deepStrictEqual(Object.keys(JSON.parse(jsonOf(notice("info", "started")))), [
      "time",
      "level",
      "event",
    ])
  })

  it("is not named beside `log`, and the level applies to it", () => {
    const lines: Array<string> = []
    const log = ({ level }: LogRecord) => void lines.push(level)
    assert.throws(() => logOf({ log, logging: { format: "json" } }), /logging.format goes without/)
    const to = logOf({ log, logging: { level: "warn" } })
    for (const level of ["info", "warn", "error"] as const) to(notice(level, "x"))
    assert.deepStrictEqual(lines, ["warn", "error"])
  })
})
