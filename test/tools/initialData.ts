/**
 * `node test/tools/initialData.ts`: packs a new PGlite folder into `dist` of `packages/postgres`, for the
 * first start of embedded databases. Part of `pnpm build`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as InitialData from "../../packages/postgres/src/internal/pglite/initialData.ts"
import { startEngine } from "../../packages/postgres/src/internal/pglite/engine.ts"
import { defaultParameters } from "../../packages/postgres/src/PgliteClient.ts"
import { root } from "./paths.ts"

const folder = mkdtempSync(join(tmpdir(), "countersign-initdb-"))
try {
  const engine = await startEngine({ folder, fsync: false, parameters: defaultParameters })
  await engine.close()
  const packed = InitialData.pack(join(folder, "pgdata"))
  writeFileSync(join(root, "packages/postgres/dist/internal/pglite", InitialData.fileName), packed)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
