/**
 * The OpenAPI document of the quickstart, as linters and generators of clients read it.
 */
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { type Compiler, compile, generated, installOthers, start } from "../tools/installed.ts"
import { root } from "../tools/paths.ts"
import { lint } from "../tools/redocly.ts"
import { run, succeeded } from "../tools/run.ts"
import { type Quickstart, startQuickstart } from "../support/Quickstart.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const folder = temporaryFolder("countersign-clients-")
let quickstart: Quickstart

/** The commands of the document that generate, after the one that installs the generators. */
const documented = readFileSync(join(root, "docs/reference/http.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("npx openapi"))

beforeAll(async () => {
  assert.lengthOf(documented, 2)
  quickstart = await startQuickstart()
  succeeded(await installOthers(generated, folder))
  // The generator looks for this name, and writes imports as this file wants them.
  copyFileSync(join(folder, "tsconfig.node.json"), join(folder, "tsconfig.json"))
  // They ask the quickstart, and no other server.
  const env = { CI: "true", BASE: quickstart.baseUrl }
  const options = { cwd: folder, env, timeoutMillis: 120_000 }
  succeeded(await run("bash", ["-euc", documented.join("\n")], options))
}, 300_000)

afterAll(() => quickstart.stop())

test("the OpenAPI document passes the linter without a warning", async () => {
  const response = await fetch(`${quickstart.baseUrl}/openapi.json`)
  const { problems, totals } = await lint(folder, await response.text())
  assert.deepStrictEqual(problems, [])
  assert.deepStrictEqual(totals, { errors: 0, warnings: 0, ignored: 0 })
})

describe("the generated clients", () => {
  const compilers: ReadonlyArray<Compiler> = ["typescript", "typescript-5"]

  test.each(compilers)(
    "accept requests without the members that have defaults, by %s",
    async (compiler) => void succeeded(await compile(folder, compiler, "node")),
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
