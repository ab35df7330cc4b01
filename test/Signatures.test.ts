import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, it } from "vitest"
import { root } from "./tools/paths.ts"
import { run } from "./tools/run.ts"

/** What a declaration file and all that it stands on import from elsewhere. */
const foreign = (file: string, seen = new Set<string>()): ReadonlyArray<string> => {
  if (seen.has(file)) return []
  seen.add(file)
  const specifiers = readFileSync(file, "utf8").matchAll(/\bfrom "([^"]+)"|import\("([^"]+)"\)/g)
  return [...specifiers].flatMap(([, named = "", inline = ""]) => {
    const specifier = named === "" ? inline : named
    if (!specifier.startsWith(".")) return [specifier]
    return foreign(join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")), seen)
  })
}

it("what is imported from countersign has no type of Effect in its signatures", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-types-"))
  try {
    const project = join(root, "packages/countersign/tsconfig.src.json")
    const into = ["--outDir", folder, "--tsBuildInfoFile", join(folder, ".tsbuildinfo")]
    const { code, stdout } = await run("tsc", ["-p", project, "--emitDeclarationOnly", ...into])
    assert.strictEqual(code, 0, stdout)
    const entry = join(folder, "index.d.ts")
    assert.isTrue(existsSync(entry))
    assert.deepStrictEqual([...new Set(foreign(entry))], ["node:http"])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
