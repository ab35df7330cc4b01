/** `@countersign/react` from its tarball, in a project outside of this repository. */
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, inject, test } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../support/chromium.ts"
import { codeFor } from "../support/Example.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { tarballsIn } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import { type Finished, run, succeeded } from "../tools/run.ts"
import { installProject, serveProject } from "./projects.ts"

const home = join(temporaryFolder("countersign-react-"), "project")

const compilers = ["node_modules/typescript", "test/release/node_modules/typescript"]

/** Beside those that the project begins with. */
const oldPeers = [
  "react@18.3.1",
  "react-dom@18.3.1",
  "@types/react@18.3.32",
  "@types/react-dom@18.3.7",
]

const inProject = (command: string, ...args: ReadonlyArray<string>): Promise<Finished> =>
  run(command, args, { cwd: home, timeoutMillis: 240_000 })

describe("docs/guides/react.md", () => {
  let browser: Browser | undefined
  let missing: string | undefined

  beforeAll(async () => {
    missing = await missingBrowser()
    if (missing === undefined) browser = await openBrowser()
    const packages = ["countersign", "@countersign/express", "@countersign/react"]
    const guides = ["docs/guides/react.md"]
    const tarballOf = await tarballsIn(inject("tarballsFolder"))
    const installed = await installProject({ name: "react", guides, packages }, home, tarballOf)
    succeeded(installed)
    assert.notMatch(installed.stderr, /ERESOLVE|\bpeer\b/)
  }, installMillis + 300_000)

  afterAll(() => browser?.close())

  describe.each([
    ["19", []],
    ["18", oldPeers],
  ] as const)("on React %s", (_version, peers) => {
    beforeAll(async () => {
      const flags = ["--no-audit", "--no-fund", "--prefer-offline"]
      if (peers.length === 0) return
      succeeded(await inProject("npm", "install", ...flags, ...peers))
      // It judges what npm has installed. pnpm has refused peers that do not fit before.
      succeeded(await inProject("npm", "ls", "--all"))
    })

    test.each(compilers)(
      "is accepted by the compiler in %s, declarations included",
      async (path) => {
        const compiler = join(root, path, "bin/tsc")
        succeeded(await inProject(process.execPath, compiler, "-p", ".", "--noEmit"))
      },
    )

    test("signs in", async ({ skip }) => {
      if (browser === undefined) return skip(missing)
      const bundled = await inProject(
        "node_modules/.bin/esbuild",
        "src/page.tsx",
        "--bundle",
        "--outdir=public",
      )
      succeeded(bundled)
      const compiler = join(root, compilers[0] ?? "", "bin/tsc")
      succeeded(await inProject(process.execPath, compiler, "-p", "."))
      await using served = await serveProject(home, process.execPath, ["dist/server.js"])
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(served.origin)
      await page.getByLabel("Phone number").fill("01712345678")
      await page.keyboard.press("Enter")
      await page.getByLabel("Code from the message").waitFor()
      await page.keyboard.type(await codeFor(served, "+8801712345678"))
      await page.getByText("Welcome, +8801712345678").waitFor()
      await context.close()
    })
  })
})
