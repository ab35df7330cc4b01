/**
 * `pnpm codegen`: writes the barrels, the files of the inbox, what follows from operations, options and the tables of
 * errors, events, limits, metrics and alerts, the examples of features in the documents, and the figures of the bench and of the campaigns. With `--check` it only says which ones are
 * out of date.
 */
import { rmSync, writeFileSync } from "node:fs"
import { readPerformancePage, readReadmeCosts } from "../bench/summary.ts"
import { type Barrel, isStale, readBarrel } from "./barrels.ts"
import { readClientFiles } from "./client/generated.ts"
import { readAlertFiles } from "./alertFiles.ts"
import { readEventFiles } from "./eventFiles.ts"
import { readErrorFiles } from "./errors/generated.ts"
import { readExampleFiles } from "./exampleFiles.ts"
import { readInboxFiles } from "./inboxFiles.ts"
import { readCommandFiles } from "./commandFiles.ts"
import { readLimitFiles } from "./limitFiles.ts"
import { readLoginDocument } from "./loginDocument.ts"
import { readMeaningFiles } from "./meaningFiles.ts"
import { readMethodFiles } from "./methodFiles.ts"
import { readOperateFiles } from "./operate/operateFiles.ts"
import { readOptionShapes } from "./optionShapes.ts"
import { readOperationTypes } from "./operationTypes.ts"
import { readDescriptionTypes, readVendorFile } from "./vendorFiles.ts"
import { readRoleFiles } from "./roleFiles.ts"
import { readReliabilityFiles } from "./reliabilityFiles.ts"
import { readSettingFiles } from "./settingFiles.ts"
import { readTraceFiles } from "./traceFiles.ts"
import { publicPackages } from "./workspace.ts"

/** One after the other, because a document may have parts of several. */
const generators: ReadonlyArray<() => ReadonlyArray<Barrel> | Promise<ReadonlyArray<Barrel>>> = [
  () => publicPackages().map(({ path }) => readBarrel(path)),
  () => [readInboxFiles(), readVendorFile()],
  readMeaningFiles,
  readDescriptionTypes,
  readEventFiles,
  readAlertFiles,
  readLimitFiles,
  readTraceFiles,
  () => [readPerformancePage(), readReadmeCosts()],
  readReliabilityFiles,
  readErrorFiles,
  readRoleFiles,
  readOperationTypes,
  readMethodFiles,
  readCommandFiles,
  readOptionShapes,
  readSettingFiles,
  async () => [await readLoginDocument()],
  readClientFiles,
  readExampleFiles,
  readOperateFiles,
]

const isCheck = process.argv.includes("--check")

for (const generate of generators) {
  for (const { file, expected } of (await generate()).filter(isStale)) {
    if (isCheck) {
      console.error(`${file} is out of date: run pnpm codegen`)
      process.exitCode = 1
      continue
    }
    if (expected === undefined) rmSync(file)
    else writeFileSync(file, expected)
    console.log(`${expected === undefined ? "removed" : "wrote"} ${file}`)
  }
}
