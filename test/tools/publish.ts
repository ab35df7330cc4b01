/**
 * `pnpm release:publish`: packs the packages, and publishes each tarball with its provenance. `--dry-run` does all
 * but the upload. `--tarballs FOLDER` uses the tarballs that are there. `--sboms FOLDER` writes the bills of materials,
 * which the release has beside the packages.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { packAll } from "./packing.ts"
import { run } from "./run.ts"
import { writeSboms } from "./sbom.ts"

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean" },
    sboms: { type: "string" },
    tarballs: { type: "string" },
  },
})
const folder = values.tarballs ?? mkdtempSync(join(tmpdir(), "countersign-release-"))
const mode = values["dry-run"] === true ? "--dry-run" : "--provenance"

if (values.sboms !== undefined) await writeSboms(resolve(values.sboms))

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
