/**
 * Our configuration of knip finds imports that do not keep to the manifests. `pnpm verify` runs it on the repository.
 */
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, expect, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { root } from "../tools/paths.ts"
import { run } from "../tools/run.ts"

/** A workspace with one package, which our configuration of knip checks. */
const planted = {
  "package.json": '{ "name": "planted", "private": true, "workspaces": ["packages/*"] }',
  "packages/core/package.json": JSON.stringify({
    name: "core",
    type: "module",
    exports: "./src/index.ts",
    dependencies: { "never-imported": "1.0.0" },
    peerDependencies: { effect: "1.0.0" },
    devDependencies: { "fast-check": "1.0.0" },
  }),
  "packages/core/src/index.ts": [
    'export * from "effect"',
    'export * from "fast-check"',
    'export * from "not-listed"',
    'export { used } from "./internal/helper.ts"',
  ].join("\n"),
  "packages/core/src/internal/helper.ts": "export const used = 1\nexport const neverUsed = 2",
  "packages/core/src/internal/orphan.ts": "export const orphan = 1",
}

const folder = temporaryFolder("countersign-knip-")

test("knip finds planted violations", async () => {
  cpSync(join(root, "knip.jsonc"), join(folder, "knip.jsonc"))
  for (const [file, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const options = ["--no-config-hints", "--reporter", "compact"]
  const all = await run("knip", options, { cwd: folder })
  assert.strictEqual(all.code, 1, `${all.stdout}${all.stderr}`)
  expect(all.stdout).toMatch(/Unused files[^]*orphan\.ts/)
  expect(all.stdout).toMatch(/Unused dependencies[^]*never-imported/)
  expect(all.stdout).toMatch(/Unlisted dependencies[^]*not-listed/)
  expect(all.stdout).toMatch(/Unused exports[^]*neverUsed/)
  const strict = [...options, "--production", "--strict", "--include", "unlisted"]
  const published = await run("knip", strict, { cwd: folder })
  assert.strictEqual(published.code, 1, `${published.stdout}${published.stderr}`)
  expect(published.stdout).toMatch(/fast-check/)
  expect(published.stdout).not.toMatch(/effect/)
})
