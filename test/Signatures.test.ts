import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "vitest"
import { root } from "./tools/paths.ts"
import { run } from "./tools/run.ts"

/** What a declaration file and all that it stands on import from elsewhere. Modules of other packages are read as sources. */
const foreign = (file: string, seen = new Set<string>()): ReadonlyArray<string> => {
  if (seen.has(file)) return []
  seen.add(file)
  const code = readFileSync(file, "utf8").replaceAll(/\/\*\*[^]*?\*\//g, "")
  const specifiers = code.matchAll(/\bfrom "([^"]+)"|import\("([^"]+)"\)/g)
  return [...specifiers].flatMap(([, named = "", inline = ""]) => {
    const specifier = named === "" ? inline : named
    const [, name, path] = /^@countersign\/(\w+)\/([\w/]+)$/.exec(specifier) ?? []
    if (name !== undefined) return foreign(join(root, `packages/${name}/src/${path}.ts`), seen)
    if (!specifier.startsWith(".")) return [specifier]
    const extension = file.endsWith(".d.ts") ? ".d.ts" : ".ts"
    return foreign(join(dirname(file), specifier.replace(/\.[jt]s$/, extension)), seen)
  })
}

/** What may be imported of countersign, and whose types stand in it. */
const entries = {
  index: ["node:http", "node:tls"],
  gateways: ["node:tls"],
  // Imported by the source alone; its declarations name no type of it.
  proofs: ["jose"],
}

it("what is imported from countersign has no type of Effect in its signatures", async () => {
  // With the declarations that it refers to, which a fresh clone does not have.
  const { code, stdout } = await run("tsc", ["-b", "packages/countersign/tsconfig.src.json"])
  assert.strictEqual(code, 0, stdout)
  for (const [name, types] of Object.entries(entries)) {
    const entry = join(root, `packages/countersign/dist/${name}.d.ts`)
    assert.isTrue(existsSync(entry))
    assert.deepStrictEqual([...new Set(foreign(entry))], types, name)
  }
})
