import { assert, test } from "vitest"
import { problemsOf, type SourceMap, type Tarball } from "./tarball.ts"

const exports = { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } }

const outputs = (name: string): ReadonlyArray<string> =>
  [".js", ".js.map", ".d.ts", ".d.ts.map"].map((ending) => `dist/${name}${ending}`)

const good: Tarball = {
  manifest: {
    name: "@countersign/core",
    version: "1.0.0",
    description: "A package",
    keywords: ["sms"],
    license: "Apache-2.0",
    type: "module",
    sideEffects: false,
    engines: { node: ">=22" },
    exports,
  },
  manifestText: '{"dependencies":{"effect":"^4.1.0"}}',
  files: ["package.json", "README.md", "LICENSE", "src/internal/a.ts", ...outputs("internal/a")],
  readme: "# @countersign/core\n\nA package.\n",
  license: "Apache License\n  Version 2.0, January 2004",
  maps: [
    { file: "dist/internal/a.js.map", sources: ["../../src/internal/a.ts"] },
    { file: "dist/internal/a.d.ts.map", sourceRoot: "", sources: ["../../src/internal/a.ts"] },
  ],
}

test("a complete package has no problem", () => {
  assert.deepStrictEqual(problemsOf(good, exports), [])
})

test("a package of components may have a stylesheet, which is its only side effect", () => {
  const withStyles: Tarball = {
    ...good,
    manifest: { ...good.manifest, sideEffects: ["*.css"] },
    files: [
      ...good.files,
      "styles.css",
      "styles.css.d.ts",
      "src/internal/form.tsx",
      ...outputs("internal/form"),
    ],
    maps: [{ file: "dist/internal/form.js.map", sources: ["../../src/internal/form.tsx"] }],
  }
  assert.deepStrictEqual(problemsOf(withStyles, exports), [])
})

const withManifest = (change: object): Tarball => ({
  ...good,
  manifest: { ...good.manifest, ...change },
})

const withMap = (map: SourceMap, file = "dist/internal/a.js.map"): Tarball => ({
  ...good,
  maps: [{ ...map, file }],
})

const withFiles = (...files: ReadonlyArray<string>): Tarball => ({
  ...good,
  files: [...good.files, ...files],
})

test.each([
  [
    withManifest({ exports: { ".": "./src/index.ts" } }),
    "publishConfig.exports did not take effect",
  ],
  [
    { ...good, manifestText: '{"a":"workspace:^"}' },
    "a dependency still points into the workspace",
  ],
  [{ ...good, manifestText: '{"a":"catalog:"}' }, "a dependency still points into the workspace"],
  [withManifest({ license: "MIT" }), "its licence is not Apache-2.0"],
  [{ ...good, license: "" }, "LICENSE is missing or is not its text"],
  [{ ...good, readme: "" }, "README.md does not begin with # @countersign/core"],
  [withManifest({ type: "commonjs" }), "it is not ESM only"],
  [withManifest({ sideEffects: true }), "it does not declare that it has no side effects"],
  [withManifest({ engines: {} }), "it does not say which Node it needs"],
  [withManifest({ description: "" }), "it has no description"],
  [withManifest({ keywords: [] }), "it has no keywords"],
  [withFiles("src/B.ts", ...outputs("B").slice(1)), "dist/B.js is missing"],
  [
    withFiles("src/internal/pglite/initialData.ts", ...outputs("internal/pglite/initialData")),
    "dist/internal/pglite/initialData.br is missing",
  ],
  [withFiles(...outputs("Gone")), "dist/Gone.js has no source"],
  [withFiles("dist/.tsbuildinfo"), "dist/.tsbuildinfo does not belong in the package"],
  [
    withMap({ sources: ["../src/internal/a.ts"] }),
    "dist/internal/a.js.map does not lead to a packed source",
  ],
  [
    withMap({ sourceRoot: "/build", sources: ["../../src/internal/a.ts"] }),
    "dist/internal/a.js.map does not lead to a packed source",
  ],
  [withMap({ sources: [] }), "dist/internal/a.js.map does not lead to a packed source"],
  [
    withMap({ sources: ["../src/B.ts"] }, "dist/B.js.map"),
    "dist/B.js.map does not lead to a packed source",
  ],
  [withFiles("servers/a.ts"), "servers/a.ts does not belong in the package"],
  [withFiles("test/A.test.ts"), "test/A.test.ts does not belong in the package"],
])("%#: the problem of a flawed package is named", (tarball, problem) => {
  assert.deepStrictEqual(problemsOf(tarball, exports), [problem])
})

const bundled: Tarball = {
  ...good,
  files: [
    ...good.files.filter((file) => !file.startsWith("dist/internal/a.js")),
    "bundle/index.js",
    "bundle/index.js.map",
    "bundle/chunk-A2.js",
  ],
  maps: [
    ...good.maps.slice(1),
    { file: "bundle/index.js.map", sources: ["../../@countersign/core/src/A.ts", "../src/B.ts"] },
  ],
}

test("a bundled package has its code in the bundle only", () => {
  assert.deepStrictEqual(problemsOf(bundled, exports), [])
  const left = { ...bundled, files: [...bundled.files, "bundle/leftover.txt"] }
  assert.deepStrictEqual(problemsOf(left, exports), [
    "bundle/leftover.txt does not belong in the package",
  ])
  const file = "bundle/index.js.map"
  const lost = { ...bundled, maps: [{ file, sources: ["../../core/src/A.ts"] }] }
  assert.deepStrictEqual(problemsOf(lost, exports), [`${file} does not lead to a packed source`])
})

test("a package that forgot its publishConfig is refused", () => {
  assert.deepStrictEqual(problemsOf(good, undefined), ["publishConfig.exports did not take effect"])
})
