/**
 * `pnpm release:publish`: packs the packages, and publishes each tarball with its provenance. `--dry-run` does all
 * but the upload. `--tarballs FOLDER` uses the tarballs that are there.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { packAll } from "./packing.ts"
import { run } from "./run.ts"

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean" }, tarballs: { type: "string" } },
})
const folder = values.tarballs ?? mkdtempSync(join(tmpdir(), "countersign-release-"))
const mode = values["dry-run"] === true ? "--dry-run" : "--provenance"

for (const { source, tarball } of await packAll(folder)) {
  const { code } = await run("npm", ["publish", tarball, "--access=public", mode], {
    inherit: true,
  })
  if (code !== 0) {
    console.error(`${source.manifest.name} is not published, nor are those after it`)
    process.exitCode = 1
    break
  }
}
