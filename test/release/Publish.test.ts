/**
 * A release: the version that the changesets make, and everything that is done to publish it but the upload.
 */
import { execFileSync } from "node:child_process"
import { cpSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, inject, onTestFinished, test } from "vitest"
import { end, listen } from "../support/loopback.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { root } from "../tools/paths.ts"
import { run, succeeded } from "../tools/run.ts"
import { publicPackages, readPackage } from "../tools/workspace.ts"

const folder = temporaryFolder("countersign-version-")

test("the first release has version 0.1.0", async () => {
  const packages = publicPackages()
  for (const file of [
    ".changeset",
    "package.json",
    "pnpm-workspace.yaml",
    ...packages.map((one) => join(one.folder, "package.json")),
  ]) {
    cpSync(join(root, file), join(folder, file), { recursive: true })
  }
  execFileSync("git", ["init", "--quiet"], { cwd: folder })
  succeeded(await run("changeset", ["version"], { cwd: folder }))
  for (const one of packages) {
    const { manifest } = readPackage(join(folder, one.folder))
    assert.strictEqual(manifest.version, "0.1.0", manifest.name)
  }
  assert.match(readFileSync(join(root, "CHANGELOG.md"), "utf8"), /^## 0\.1\.0\b/m)
})

test("every package can be published", async () => {
  const uploads: Array<string> = []
  // Takes the place of the registry, which would be asked for the versions that it has.
  const registry = createServer((request, response) => {
    if (request.method !== "GET") uploads.push(`${request.method} ${request.url}`)
    response.writeHead(404).end("{}")
  })
  onTestFinished(() => end(registry))
  const port = await listen(registry)
  const published = await run(
    process.execPath,
    [
      "test/tools/publish.ts",
      "--dry-run",
      `--tarballs=${inject("tarballsFolder")}`,
      `--sboms=${join(folder, "sboms")}`,
    ],
    { env: { npm_config_registry: `http://127.0.0.1:${port}/` } },
  )
  assert.deepStrictEqual(
    succeeded(published)
      .split("\n")
      .filter((line) => line.startsWith("+ ")),
    publicPackages().map(({ manifest }) => `+ ${manifest.name}@${manifest.version}`),
  )
  assert.notMatch(published.stderr, /auto-corrected|npm error/)
  assert.deepStrictEqual(uploads, [])
  assert.lengthOf(readdirSync(join(folder, "sboms")), publicPackages().length)
})
