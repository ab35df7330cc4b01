import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { packFolder } from "../../../../../test/tools/initialData.ts"
import * as InitialData from "../../../src/internal/pglite/initialData.ts"

describe("a packed folder", () => {
  it("is unpacked unchanged, with empty folders and empty files", () => {
    const home = Fs.mkdtempSync(join(tmpdir(), "countersign-initial-data-"))
    try {
      const from = join(home, "from")
      Fs.mkdirSync(join(from, "base/1"), { recursive: true })
      Fs.mkdirSync(join(from, "pg_notify"))
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
      Fs.writeFileSync(join(from, "base/1/1234"), bytes)
      Fs.writeFileSync(join(from, "base/1/empty"), "")
      Fs.writeFileSync(join(from, "PG_VERSION"), "18\n")
      const to = join(home, "to")
      Fs.mkdirSync(to)
      InitialData.unpack(packFolder(from), to)
      const listed = (folder: string) => Fs.readdirSync(folder, { recursive: true }).toSorted()
      assert.deepStrictEqual(listed(to), listed(from))
      assert.deepStrictEqual(Fs.readFileSync(join(to, "base/1/1234")), bytes)
      assert.strictEqual(Fs.readFileSync(join(to, "base/1/empty"), "utf8"), "")
      assert.strictEqual(Fs.readFileSync(join(to, "PG_VERSION"), "utf8"), "18\n")
      // PostgreSQL refuses a folder that others may read.
      assert.strictEqual(Fs.statSync(join(to, "base/1")).mode & 0o77, 0)
    } finally {
      Fs.rmSync(home, { recursive: true })
    }
  })

  it("is beside the sources, as it is in the package", () => {
    const home = Fs.mkdtempSync(join(tmpdir(), "countersign-initial-data-"))
    try {
      InitialData.unpack(InitialData.read() ?? assert.fail("run pnpm install"), home)
      assert.strictEqual(Fs.readFileSync(join(home, "PG_VERSION"), "utf8").trim(), "18")
    } finally {
      Fs.rmSync(home, { recursive: true })
    }
  })
})
