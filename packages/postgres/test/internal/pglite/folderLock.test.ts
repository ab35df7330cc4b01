import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import {
  type FolderLock,
  type FolderInUse,
  isBusy,
  lockFolder,
} from "../../../src/internal/pglite/folderLock.ts"
import { Program } from "../../fixtures/process.ts"

let folder = ""
let held: Array<FolderLock> = []

beforeEach(async () => {
  folder = await Fs.mkdtemp(Path.join(Os.tmpdir(), "countersign-lock-"))
})

afterEach(async () => {
  for (const lock of held) lock.release()
  held = []
  await Fs.rm(folder, { recursive: true })
})

const lock = async (): Promise<FolderLock | FolderInUse> => {
  const result = await lockFolder(folder)
  if (result._tag === "FolderLock") held.push(result)
  return result
}

describe("isBusy", () => {
  it.each([
    [
      "Node",
      { code: "ERR_SQLITE_ERROR", errcode: 5, errstr: "database is locked" },
      "database is locked",
      true,
    ],
    ["Node, with an extended code", { code: "ERR_SQLITE_ERROR", errcode: 261 }, "busy", true],
    ["Deno, which has no errcode", { code: "ERR_SQLITE_ERROR" }, "database is locked", true],
    ["Node", { code: "ERR_SQLITE_ERROR", errcode: 26 }, "file is not a database", false],
    ["Deno", { code: "ERR_SQLITE_ERROR" }, "file is not a database", false],
    [
      "Deno",
      { code: "ERR_SQLITE_ERROR" },
      "unable to open database file: database is locked/lock",
      false,
    ],
  ])("reads the errors of %s: %j, %s is %s", (_, fields, message, busy) => {
    assert.strictEqual(isBusy(Object.assign(new Error(message), fields)), busy)
  })
})

describe("lockFolder", () => {
  it("refuses a second opening in the same process", async () => {
    assert.strictEqual((await lock())._tag, "FolderLock")
    assert.deepStrictEqual(await lock(), { _tag: "FolderInUse", holder: process.pid })
  })

  it("can be taken again after its release", async () => {
    for (let round = 0; round < 3; round++) {
      const taken = await lock()
      assert.strictEqual(taken._tag, "FolderLock")
      if (taken._tag === "FolderLock") taken.release()
    }
  })

  it("does not release another owner's lock when it is released twice", async () => {
    const first = await lock()
    assert.strictEqual(first._tag, "FolderLock")
    if (first._tag === "FolderLock") first.release()
    assert.strictEqual((await lock())._tag, "FolderLock")
    if (first._tag === "FolderLock") first.release()
    assert.strictEqual((await lock())._tag, "FolderInUse")
  })

  it("refuses another process and names the holder", async () => {
    await lock()
    await using other = new Program("holdLock.ts", folder)
    assert.strictEqual(await other.nextLine(), `in use by ${process.pid}`)
  })

  it("is free after its holder was killed with SIGKILL", async () => {
    await using other = new Program("holdLock.ts", folder)
    assert.strictEqual(await other.nextLine(), "held")
    assert.deepStrictEqual(await lock(), { _tag: "FolderInUse", holder: other.pid })
    await other.kill()
    assert.strictEqual((await lock())._tag, "FolderLock")
  })

  it("ignores the holder file of a dead process, even if its id is in use again", async () => {
    await Fs.writeFile(Path.join(folder, "lock.holder"), String(process.pid))
    assert.strictEqual((await lock())._tag, "FolderLock")
  })

  it("has one winner among parallel processes", async () => {
    for (let round = 0; round < 2; round++) {
      const programs = Array.from({ length: 6 }, () => new Program("holdLock.ts", folder))
      const lines = await Promise.all(programs.map((program) => program.nextLine()))
      await Promise.all(programs.map((program) => program.kill()))
      assert.strictEqual(lines.filter((line) => line === "held").length, 1, lines.join(", "))
    }
  })

  it("rejects if the folder does not exist", async () => {
    const missing = await lockFolder(Path.join(folder, "missing")).catch((error: unknown) => error)
    assert.instanceOf(missing, Error)
  })
})
