import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { FolderInUse, isBusy, lockFolder } from "../../../src/internal/pglite/folderLock.ts"
import { Program } from "../../fixtures/process.ts"

let folder = ""
let held: Array<() => void> = []

beforeEach(async () => {
  folder = await Fs.mkdtemp(Path.join(Os.tmpdir(), "countersign-lock-"))
})

afterEach(async () => {
  for (const release of held) release()
  held = []
  await Fs.rm(folder, { recursive: true })
})

const lock = async () => {
  const release = await lockFolder(folder)
  held.push(release)
  return release
}

const refusal = () =>
  lock().then(
    () => "locked",
    (error: unknown) => error,
  )

const assertHeldBy = async (holder: number | undefined) => {
  const error = await refusal()
  assert.instanceOf(error, FolderInUse)
  assert.strictEqual(error.holder, holder)
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
    await lock()
    await assertHeldBy(process.pid)
  })

  it("can be taken again after its release", async () => {
    for (let round = 0; round < 3; round++) (await lock())()
  })

  it("does not release another owner's lock when it is released twice", async () => {
    const first = await lock()
    first()
    await lock()
    first()
    await assertHeldBy(process.pid)
  })

  it("refuses another process and names the holder", async () => {
    await lock()
    await using other = new Program("holdLock.ts", folder)
    assert.strictEqual(await other.nextLine(), `in use by ${process.pid}`)
  })

  it("is free after its holder was killed with SIGKILL", async () => {
    await using other = new Program("holdLock.ts", folder)
    assert.strictEqual(await other.nextLine(), "held")
    await assertHeldBy(other.pid)
    await other.kill()
    await lock()
  })

  it("ignores the holder file of a dead process, even if its id is in use again", async () => {
    await Fs.writeFile(Path.join(folder, "lock.holder"), String(process.pid))
    await lock()
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
    assert.notInstanceOf(missing, FolderInUse)
  })
})
