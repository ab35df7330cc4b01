/**
 * `pnpm codegen`: writes the barrels, the files of the inbox, and what follows from operations and from the tables of
 * errors, events and limits. With `--check` it only says which ones are out of date.
 */
import { rmSync, writeFileSync } from "node:fs"
import { isStale, readBarrel } from "./barrels.ts"
import { readClientFiles } from "./client/generated.ts"
import { readEventFiles } from "./eventFiles.ts"
import { readErrorFiles } from "./errors/generated.ts"
import { readInboxFiles } from "./inboxFiles.ts"
import { generatedFile } from "./generatedFile.ts"
import { limitTable, readLimitFiles } from "./limitFiles.ts"
import { betweenMarkers } from "./markdownTable.ts"
import { methodTable } from "./methodTable.ts"
import { readOperationTypes } from "./operationTypes.ts"
import { readVendorFile } from "./vendorFiles.ts"
import { publicPackages } from "./workspace.ts"

const stale = [
  ...publicPackages().map(({ path }) => readBarrel(path)),
  readInboxFiles(),
  readVendorFile(),
  ...readEventFiles(),
  ...readLimitFiles(),
  generatedFile("packages/countersign/README.md", (text) =>
    betweenMarkers("methods", betweenMarkers("limits", text, limitTable), methodTable),
  ),
  ...readErrorFiles(),
  ...(await readOperationTypes()),
  ...(await readClientFiles()),
].filter(isStale)

if (process.argv.includes("--check")) {
  for (const { file } of stale) console.error(`${file} is out of date: run pnpm codegen`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const { file, expected } of stale) {
    if (expected === undefined) rmSync(file)
    else writeFileSync(file, expected)
    console.log(`${expected === undefined ? "removed" : "wrote"} ${file}`)
  }
}
