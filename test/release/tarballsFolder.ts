/**
 * vitest `globalSetup`: a folder for the tarballs of the packages. The first test of a run that needs them
 * packs them, and the others use the same.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** For `packAll`. Only `pnpm test:release` provides it. */
    readonly tarballsFolder: string
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "countersign-tarballs-"))
  project.provide("tarballsFolder", folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
