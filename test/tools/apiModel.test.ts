import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, test } from "vitest"
import { type Module, modulesOf } from "./apiModel.ts"
import { pageOf } from "./apiPage.ts"

const folder = mkdtempSync(join(tmpdir(), "countersign-api-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let packages = 0

/** The modules of a package with these declarations. */
const read = (files: Readonly<Record<string, string>>): ReadonlyArray<Module> => {
  const own = join(folder, String(packages++))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(own, name)), { recursive: true })
    writeFileSync(join(own, name), text)
  }
  return modulesOf("pkg", { declarations: own, sources: own })
}

const only = (text: string) => read({ "index.d.ts": text })[0]?.entries ?? []

test("each concept of a barrel is a module, with the comment at the top of its source", () => {
  const modules = read({
    "index.d.ts": 'export * as Price from "./Price.ts";\n',
    "Price.d.ts": "export declare const one: 1;\n",
    "Price.ts": "/**\n * What it costs.\n *\n * @module-kind pure\n */\nexport const one = 1\n",
  })
  assert.deepStrictEqual(
    modules.map(({ doc, entries, specifier }) => [specifier, doc.split("\n")[0], entries.length]),
    [["pkg/Price", "What it costs.", 1]],
  )
})

test("an entry beside that of the package is a module, and says where it is imported from", () => {
  const modules = read({
    "index.d.ts": "export declare const one: 1;\n",
    "more.d.ts": "export declare const two: 2;\n",
    "more.ts": "/**\n * More of it.\n */\nexport const two = 2\n",
    "internal/hidden.d.ts": "export declare const three: 3;\n",
  })
  assert.deepStrictEqual(
    modules.map(({ entries, specifier }) => [specifier, entries.map(({ name }) => name)]),
    [
      ["pkg", ["one"]],
      ["pkg/more", ["two"]],
    ],
  )
  const page = pageOf("pkg", "packages/pkg", "A package", modules)
  assert.include(page, "- [pkg](#exports): ")
  assert.include(page, "- [more](#more): More of it.")
  assert.include(page, "Imported from `pkg/more`.\n")
})

test("a service has the members of its shape, and its layers", () => {
  const [entry] = only(`import * as Context from "effect/Context";
declare const Clocks_base: Context.ServiceClass<Clocks, "pkg/Clocks", {
    /** Milliseconds. */
    readonly now: () => number;
}>;
/** Tells the time. */
export declare class Clocks extends Clocks_base {
    static readonly layer: Layer<Clocks>;
}
`)
  assert.deepStrictEqual(entry?.parts, [
    {
      kind: "service",
      doc: "Tells the time.",
      signature: undefined,
      members: [
        { name: "now", type: "() => number", doc: "Milliseconds." },
        { name: "static layer", type: "Layer<Clocks>", doc: "" },
      ],
    },
  ])
})

test("an error has its tag and its fields", () => {
  const [entry] = only(`declare const Late_base: Schema.Class<Late, Schema.TaggedStruct<"Late", {
    readonly by: Schema.Int;
}>, import("effect/Cause").YieldableError>;
export declare class Late extends Late_base {
}
`)
  assert.deepStrictEqual(
    entry?.parts.map(({ kind, members }) => [kind, members.map(({ name, type }) => [name, type])]),
    [
      [
        "error",
        [
          ["_tag", '"Late"'],
          ["by", "Schema.Int"],
        ],
      ],
    ],
  )
})

test("what an interface has from one that is hidden is among its members", () => {
  const [entry] = only(`interface Case<Name extends string> {
    readonly type: Name;
}
export interface Wrong extends Case<"wrong"> {
    readonly left?: number;
}
`)
  assert.deepStrictEqual(
    entry?.parts[0]?.members.map(({ name, type }) => [name, type]),
    [
      ["type", '"wrong"'],
      ["left?", "number"],
    ],
  )
})

test("what is exported from elsewhere is found there", () => {
  const [module] = read({
    "index.d.ts": `export { type A, b as c } from "./internal/one.ts";
export * from "./internal/two.ts";
`,
    "internal/one.d.ts":
      "export interface A {}\nexport declare const b: A;\nexport declare const no: 1;\n",
    "internal/two.d.ts":
      "export declare function d(x: 1): 2;\nexport declare function d(x: 2): 3;\n",
  })
  assert.deepStrictEqual(
    module?.entries.map(({ name, parts }) => [name, parts.length]),
    [
      ["A", 1],
      ["c", 1],
      ["d", 2],
    ],
  )
})

test("a page shows no example of a comment, and keeps the bars of a type within its cell", () => {
  const modules = read({
    "index.d.ts": `/**
 * Adds.
 *
 * @example
 * \`\`\`ts
 * add(app)
 * \`\`\`
 */
export interface Options {
    /** One of
     * two. */
    readonly kind: "a" | "b";
}
`,
  })
  const page = pageOf("pkg", "packages/pkg", "A package", modules)
  assert.notInclude(page, "add(app)")
  assert.include(page, '| `kind` | `"a" \\| "b"` | One of two. |')
})
