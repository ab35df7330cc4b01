import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { secrets } from "../src/internal/environment.ts"
import { parseTime } from "../src/internal/flags.ts"
import { formatTime, record, table } from "../src/internal/output.ts"
import { lineOf, withProgress } from "../src/internal/progress.ts"
import { Json } from "../src/internal/settings.ts"
import { withoutSecrets } from "../src/internal/printable.ts"
import { test } from "../../../test/support/testsOver.ts"

const dhaka = DateTime.zoneMakeOffset(6 * 3_600_000)
const at = new Date("2026-11-22T13:09:44.500Z")

describe("a table", () => {
  it("aligns by the width that a terminal shows", () => {
    const rows = [
      { name: "ঢাকা", count: 7, at },
      { name: "東京", count: 1_234, at },
      { name: "é", count: null, at },
    ]
    assert.strictEqual(
      table(["name", "count", "at"], rows, dhaka),
      [
        "NAME  COUNT  AT",
        // Two letters with their vowels.
        "ঢাকা        7  2026-11-22 19:09:44 +06:00",
        "東京   1234  2026-11-22 19:09:44 +06:00",
        "é         -  2026-11-22 19:09:44 +06:00",
      ].join("\n"),
    )
  })

  it("keeps texts from moving the cursor and from turning the direction of the line", () => {
    const turned = { name: "a\u202Eb\u2066c\u2028d\u009Be" }
    assert.strictEqual(record(["name"], turned, dhaka), "Name  a b c d e")
    // Joiners are letters of Bengali words.
    const bengali = { name: "র\u200D্যাব" }
    assert.strictEqual(record(["name"], bengali, dhaka), "Name  র\u200D্যাব")
  })

  it("shows a record by its members, whose names are its titles", () => {
    const request = { requestId: "1", allowList: "", isSuspended: false, createdAt: null }
    assert.strictEqual(
      record(["requestId", "allowList", "isSuspended", ["set up", "createdAt"]], request, dhaka),
      "Request     1\nAllow list  -\nSuspended   no\nSet up      -",
    )
  })
})

describe("times", () => {
  it("are shown in the zone of the reader", () => {
    assert.strictEqual(formatTime(at, dhaka), "2026-11-22 19:09:44 +06:00")
    const utc = DateTime.zoneMakeNamedUnsafe("UTC")
    assert.strictEqual(formatTime(at, utc), "2026-11-22 13:09:44 +00:00")
  })

  it.each([
    ["2026-11-22", "2026-11-21T18:00:00.000Z"],
    ["2026-11-22 19:09", "2026-11-22T13:09:00.000Z"],
    ["2026-11-22T19:09:44.5", "2026-11-22T13:09:44.500Z"],
    ["2026-11-22T19:09:44Z", "2026-11-22T19:09:44.000Z"],
    ["2026-11-22T19:09+01:00", "2026-11-22T18:09:00.000Z"],
    ["2026-11-31", undefined],
    ["2026-13-01", undefined],
    ["22.11.2026", undefined],
    ["2026-11-22T25:00", undefined],
    ["yesterday", undefined],
    ["", undefined],
  ])("of %s are %s", (text, expected) => {
    const millis = parseTime(text, dhaka)
    assert.strictEqual(millis === undefined ? undefined : new Date(millis).toISOString(), expected)
  })
})

describe("secrets", () => {
  it.each([
    ["postgres://me:hunter2@db:5432/x", "postgres://…@db:5432/x"],
    ['Unknown "mysql://me:a/b@c@db/x"', 'Unknown "mysql://…@db/x"'],
    ["postgres://db/x?user=me&password=hunter2&a=b", "postgres://db/x?user=me&password=…&a=b"],
    ["See https://example.com/a", "See https://example.com/a"],
  ])("of %s are hidden: %s", (text, expected) => {
    assert.strictEqual(withoutSecrets(text), expected)
  })
})

describe("secrets", () => {
  test.effect(
    "come from the environment, or else from the folder that the engine has made",
    function* () {
      const folder = mkdtempSync(join(tmpdir(), "countersign-secret-"))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
      )
      const read = (text?: string, at: string | undefined = folder) =>
        Effect.map(
          Effect.provideService(
            secrets(at),
            ConfigProvider.ConfigProvider,
            ConfigProvider.fromEnv({ env: text === undefined ? {} : { COUNTERSIGN_SECRET: text } }),
          ),
          (all) => all.map(Redacted.value),
        )
      const [a, b] = ["a".repeat(32), "b".repeat(32)]
      assert.deepStrictEqual(yield* read(), [])
      writeFileSync(join(folder, "secret"), `${a}\n`)
      assert.deepStrictEqual(yield* read(), [a])
      assert.deepStrictEqual(yield* read(" "), [a])
      assert.deepStrictEqual(yield* read(b), [b])
      assert.deepStrictEqual(yield* read(`${b}\n${a}`), [b, a])
      const spaced = "a secret: with spaces and a colon in it"
      const list = JSON.stringify([spaced])
      assert.deepStrictEqual(yield* read(list), [spaced])
      for (const wrong of ["[", `[{"secret":"${a}"}]`, "short", `${a} ${a}`, `${a} short`]) {
        const { _tag, message } = yield* Effect.flip(read(wrong))
        assert.strictEqual(_tag, "UsageError")
        assert.notInclude(message, a)
      }
    },
  )
})

describe("progress", () => {
  it.each([
    [0, 10, `Settling  ${"░".repeat(30)}  0 of 10 messages`],
    [5, 10, `Settling  ${"█".repeat(15)}${"░".repeat(15)}  5 of 10 messages`],
    [12, 10, `Settling  ${"█".repeat(30)}  12 of 10 messages`],
    [0, 0, `Settling  ${"█".repeat(30)}  0 of 0 messages`],
  ])("of %s of %s is a bar", (done, total, line) => {
    assert.strictEqual(lineOf("Settling", { done, total, unit: "messages" }, 5_000), line)
  })

  it.each([
    [0, 0, 0, 0],
    [7, 500, 5, 7],
    [7_000, 2_000, 20, 3_500],
    [7_000, 2_400, 24, 2_917],
    [7_000, 2_500, 23, 2_800],
    [7_000, 4_800, 0, 1_458],
  ])("of %s rows after %s ms without a total is a block that moves", (done, millis, at, rate) => {
    const bar = `${"░".repeat(at)}██████${"░".repeat(24 - at)}`
    assert.strictEqual(
      lineOf("Deleting", { done, unit: "rows" }, millis),
      `Deleting  ${bar}  ${done.toLocaleString("en")} rows, ${rate.toLocaleString("en")}/s`,
    )
  })

  const written = Effect.fnUntraced(function* (isTerminal: boolean, isJson = false) {
    const texts: Array<string> = []
    const progress = (done: number) => ({ done, unit: "rows" })
    const result = yield* withProgress("Working", ({ hide, show }) =>
      Effect.gen(function* () {
        yield* show(progress(10))
        yield* show(progress(9))
        yield* TestClock.adjust("100 millis")
        yield* hide
        yield* TestClock.adjust("1 second")
        yield* show({ ...progress(10), total: 10 })
        return "done"
      }),
    ).pipe(
      Effect.provide(
        Stdio.layerTest({
          stderrIsTerminal: Effect.succeed(isTerminal),
          stderr: () => Sink.forEach((text) => Effect.sync(() => texts.push(String(text)))),
        }),
      ),
      Effect.provideService(Json, isJson),
    )
    assert.strictEqual(result, "done")
    return texts
  })

  test.effect(
    "replaces its line on a terminal as time passes, and removes it at the end",
    function* () {
      const bar = (at: number) => `${"░".repeat(at)}██████${"░".repeat(24 - at)}`
      assert.deepStrictEqual(yield* written(true), [
        `\rWorking  ${bar(0)}  10 rows, 10/s`,
        `\rWorking  ${bar(0)}  9 rows, 9/s  `,
        `\rWorking  ${bar(1)}  9 rows, 9/s`,
        `\r${" ".repeat(52)}\r`,
        `\rWorking  ${"█".repeat(30)}  10 of 10 rows`,
        `\r${" ".repeat(54)}\r`,
      ])
    },
  )

  test.effect("writes nothing to a file or a pipe, and nothing with --json", function* () {
    assert.deepStrictEqual(yield* written(false), [])
    assert.deepStrictEqual(yield* written(true, true), [])
  })
})
