/**
 * A folder of a test file, which ends with it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

/** Makes a folder. `parent`: where imports of the workspace's packages are found. */
export const temporaryFolder = (name: string, parent = tmpdir()): string => {
  const folder = mkdtempSync(join(parent, name))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
