import { exitCodes } from "@countersign/cli/ExitCode"
import * as Money from "@countersign/core/domain/values/Money"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Batches } from "@countersign/core/services/Batches"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCli, runJson } from "./support/runCli.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const organization = OrganizationId("acme")
const engine = testsOver(TestEngine.layer())
const env = {
  COUNTERSIGN_ORGANIZATION: "acme",
  COUNTERSIGN_SECRET: Redacted.value(TestEngine.codeSecret).replaceAll(" ", "-"),
}

const run = (...args: ReadonlyArray<string>) => runCli(args, { env })

const folder = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "batches-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true })),
)

/** A file with these lines. */
const fileOf = (...lines: ReadonlyArray<string>) =>
  Effect.map(folder, (path) => {
    const file = join(path, "recipients.csv")
    Fs.writeFileSync(file, `\uFEFF${lines.join("\r\n")}\r\n`)
    return file
  })

const listed = Batches.use((_) => _.list({ organization }))

const rows = [
  "to,name",
  "+8801712345678,Rahim",
  '+8801712345679,"Karim, the second"',
  "+8801712345678,again",
  "12,short",
  "+8801712345680,too,many",
]

const Sent = Schema.Struct({ batchId: Schema.String })

describe("messages send-many", () => {
  engine.effect("tells the price and writes nothing with --dry-run", function* () {
    yield* TestEngine.open()
    const file = yield* fileOf(...rows)
    const refused = join(yield* folder, "refused.csv")
    const text = ["--text", "Hello {name}", "--dry-run", "--refused", refused]
    const ran = yield* run("messages", "send-many", "--file", file, ...text)
    assert.strictEqual(ran.exitCode, 0, ran.stderr)
    for (const line of [
      /Messages +2/,
      /Duplicates +1/,
      /Refused +1/,
      /Malformed +1/,
      /Price +1.00/,
      /Prices +assumed, because COUNTERSIGN_PRICES is not set/,
    ])
      assert.match(ran.stdout, line)
    assert.deepStrictEqual((yield* listed).batches, [])
    assert.deepStrictEqual(Fs.readFileSync(refused, "utf8").trimEnd().split("\n"), [
      "line,phone_number,reason",
      '6,"\'+8801712345680","has 3 cells, and the first line has 2"',
      '5,"12","phoneNumber must be in E.164 format, such as 8801712345678"',
    ])
  })

  engine.effect("has the prices of the host if the environment has them", function* () {
    yield* TestEngine.open()
    const file = yield* fileOf("to", "+8801712345678")
    const priced = (prices: string, ...more: ReadonlyArray<string>) =>
      runCli(["messages", "send-many", "--file", file, "--text", "a".repeat(161), ...more], {
        env: { ...env, COUNTERSIGN_PRICES: prices },
      })
    const bySegment = yield* priced('{"sms":"0.3","per":"segment"}', "--dry-run")
    assert.match(bySegment.stdout, /Price +0\.60\nPrices +of COUNTERSIGN_PRICES/)
    assert.match((yield* priced('{"sms":"0.3"}', "--dry-run")).stdout, /Price +0\.30/)
    assert.match((yield* priced('{"whatsapp":"1"}', "--dry-run")).stdout, /Price +0\.00/)
    for (const wrong of ["0.3", '{"sms":0.3}', '{"sms":"-1"}', '{"SMS":"1"}', '{"per":"word"}']) {
      const ran = yield* priced(wrong, "--dry-run")
      assert.strictEqual(ran.exitCode, exitCodes.usage)
      assert.include(ran.stderr, "COUNTERSIGN_PRICES must have the prices of your app as JSON")
    }
    assert.strictEqual((yield* priced('{"sms":"0.3"}', "--yes")).exitCode, 0)
    assert.strictEqual((yield* listed).batches[0]?.estimate, Money.make("0.3"))
  })

  engine.effect("takes numbers as the other commands do", function* () {
    yield* TestEngine.open()
    const file = yield* fileOf("to", "01712-345678", "017 1234 5678", "+880 1712 345679")
    const sending = ["messages", "send-many", "--file", file, "--text", "x", "--dry-run"]
    const { stdout } = yield* run(...sending)
    assert.match(stdout, /Messages +2\nDuplicates +1\nRefused +0/)
  })

  engine.effect("writes a batch, which is paused, resumed and cancelled", function* () {
    yield* TestEngine.open()
    const file = yield* fileOf(...rows)
    const sending = ["messages", "send-many", "--file", file, "--text", "Hello {name}"]
    const unasked = yield* run(...sending)
    assert.strictEqual(unasked.exitCode, exitCodes.usage)
    const more = ["--key", "k", "--pace", "5", "--class", "promotional", "--yes"]
    const value = yield* runJson([...sending, ...more], { env })
    const { batchId } = Schema.decodeUnknownSync(Sent)(value)
    assert.deepInclude(value, { recipients: 2, duplicates: 1, refused: 1, malformed: 1 })
    const again = yield* runJson([...sending, ...more], { env })
    assert.deepInclude(again, { batchId, recipients: 2 })
    assert.include((yield* run("batches", "list")).stdout, batchId)
    assert.match((yield* run("batches", "pause", batchId)).stdout, /Status +paused/)
    assert.match((yield* run("batches", "resume", batchId)).stdout, /Status +running/)
    assert.strictEqual((yield* run("batches", "cancel", batchId)).exitCode, exitCodes.usage)
    assert.match((yield* run("batches", "cancel", batchId, "--yes")).stdout, /Status +cancelled/)
    assert.match((yield* run("batches", "get", batchId)).stdout, /Pace +5/)
  })

  engine.effect("refuses a file that is no such list, and writes nothing", function* () {
    yield* TestEngine.open()
    const cases: ReadonlyArray<readonly [lines: ReadonlyArray<string>, error: RegExp]> = [
      [["name"], /one of them phone_number/],
      [["to,name,name", "1,2,3"], /names the column name twice/],
      [["to", '"+8801712345678'], /is no CSV file/],
      [["to"], /recipients must not be empty/],
    ]
    for (const [lines, error] of cases) {
      const file = yield* fileOf(...lines)
      const ran = yield* run("messages", "send-many", "--file", file, "--text", "x", "--yes")
      assert.notStrictEqual(ran.exitCode, 0)
      assert.match(ran.stderr, error)
    }
    const sending = (...files: ReadonlyArray<string>) =>
      run("messages", "send-many", ...files, "--text", "x", "--yes")
    const missing = yield* sending("--file", "none.csv")
    assert.match(missing.stderr, /none.csv: ENOENT/)
    const file = yield* fileOf("to", "12", "+8801712345678")
    const noFolder = yield* sending("--file", file, "--refused", join(file, "refused.csv"))
    assert.match(noFolder.stderr, /refused.csv: ENOTDIR/)
    const itself = yield* sending("--file", file, "--refused", join(file, "..", "recipients.csv"))
    assert.match(itself.stderr, /must name another file/)
    assert.include(Fs.readFileSync(file, "utf8"), "+8801712345678")
    assert.deepStrictEqual((yield* listed).batches, [])
  })
})
