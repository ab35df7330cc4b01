/**
 * The bill of materials of each public package, in CycloneDX: what its users install with it, from the lockfile.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { runPnpm, succeeded } from "./run.ts"
import { publicPackages } from "./workspace.ts"

/** Writes `NAME-VERSION.cdx.json` of each package into `folder`. */
export const writeSboms = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const finished = await runPnpm([
    "--recursive",
    ...publicPackages().map((one) => `--filter=./${one.folder}`),
    "sbom",
    "--sbom-format=cyclonedx",
    "--sbom-spec-version=1.6",
    "--prod",
    "--split",
    "--lockfile-only",
    `--out=${join(folder, "%s-%v.cdx.json")}`,
  ])
  succeeded(finished)
}
