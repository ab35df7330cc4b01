/**
 * The OpenAPI document of the quickstart, as linters and generators of clients read it.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { type Compiler, compile, generated, install, start } from "../tools/installed.ts"
import { root } from "../tools/paths.ts"
import { type Finished, run } from "../tools/run.ts"
import { at, type Quickstart, startQuickstart } from "../support/Quickstart.ts"

/** The rules of the linter that do not fit this interface. All others apply. */
const unfit = [
  // The document cannot name an address that fits every operator.
  "info-contact",
  // Failures are `{ error }`, as the interface has them, and the paths are its own.
  "operation-4xx-problem-details-rfc7807",
  "path-segment-plural",
  // Matters of taste: an example, or a minimal length, for each text of each answer.
  "scalar-property-missing-example",
  "required-string-property-missing-min-length",
  "path-http-verbs-order",
  "tags-alphabetical",
]

const folder = mkdtempSync(join(tmpdir(), "countersign-clients-"))
const linter = join(root, "test/release/node_modules/@redocly/cli/bin/cli.js")
let quickstart: Quickstart

/** The environment of the tools: they ask the quickstart, and no other server. */
const env = {
  CI: "true",
  REDOCLY_SUPPRESS_NOTIFICATIONS: "true",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  REDOCLY_TELEMETRY: "off",
}

/** The commands of the document that generate, after the one that installs the generators. */
const documented = readFileSync(join(root, "docs/service.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("npx openapi"))

const runIn = (command: string, ...args: ReadonlyArray<string>): Promise<Finished> =>
  run(command, args, {
    cwd: folder,
    env: { ...env, BASE: quickstart.baseUrl },
    timeoutMillis: 120_000,
  })

const succeeded = ({ code, stderr, stdout }: Finished): void =>
  assert.strictEqual(code, 0, `${stdout}${stderr}`)

const noTarball = (name: string): string => assert.fail(`${name} is not part of the project`)

beforeAll(async () => {
  assert.lengthOf(documented, 2)
  quickstart = await startQuickstart()
  succeeded(await install(generated, folder, noTarball))
  // The generator looks for this name, and writes imports as this file wants them.
  copyFileSync(join(folder, "tsconfig.node.json"), join(folder, "tsconfig.json"))
  succeeded(await runIn("bash", "-euc", documented.join("\n")))
}, 300_000)

afterAll(async () => {
  await quickstart.stop()
  rmSync(folder, { recursive: true, force: true })
})

test("the OpenAPI document passes the linter without a warning", async () => {
  const rules = Object.fromEntries(unfit.map((rule) => [rule, "off"]))
  writeFileSync(join(folder, "redocly.yaml"), JSON.stringify({ extends: ["all"], rules }))
  const response = await fetch(`${quickstart.baseUrl}/openapi.json`)
  writeFileSync(join(folder, "openapi.json"), await response.text())
  const linted = await runIn(process.execPath, linter, "lint", "openapi.json", "--format=json")
  const report: unknown = JSON.parse(linted.stdout)
  assert.deepStrictEqual(at(report, "problems"), [])
  assert.deepStrictEqual(at(report, "totals"), { errors: 0, warnings: 0, ignored: 0 })
  succeeded(linted)
})

describe("the generated clients", () => {
  const compilers: ReadonlyArray<Compiler> = ["typescript", "typescript-5"]

  test.each(compilers)(
    "accept requests without the members that have defaults, by %s",
    async (compiler) => succeeded(await compile(folder, compiler, "node")),
  )

  test("verify a phone number, and send and list messages", async () => {
    const { baseUrl, inboxUrl, keys } = quickstart
    succeeded(await compile(folder, "typescript", "node"))
    const ran = await start(folder, "sdk", [], {
      BASE: baseUrl,
      COUNTERSIGN_KEY: keys["acme"] ?? "",
      INBOX: inboxUrl,
    })
    succeeded(ran)
    assert.deepStrictEqual(ran.stdout.split("\n"), [
      "pending",
      "verified",
      "sms delivered",
      "page 1, 2 of 2, at most 50",
      "Your order has shipped.",
      "BDT",
      "",
    ])
  })
})
