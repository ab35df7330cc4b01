import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, test } from "vitest"
import { allowed, pureEffectModules, type Source, violationsOf } from "./dependencyRule.ts"

const declared = [...allowed.values()].flat()

const messages = (name: string, ...sources: ReadonlyArray<Source>): ReadonlyArray<string> =>
  violationsOf({ name, declared, sources }).map(
    ({ file, line, message }) => `${file}:${line} ${message}`,
  )

const inSource = (name: string, text: string): ReadonlyArray<string> =>
  messages(name, { file: "src/A.ts", text })

describe("imports", () => {
  test.each([
    ["core", 'import * as Effect from "effect/Effect"'],
    ["core", 'import { parsePhoneNumber } from "libphonenumber-js/max"'],
    ["core", 'import { b } from "./internal/b.ts"'],
    ["core", 'const text = "import x from \'pg\'" // import y from "pg"'],
    ["postgres", 'import { readFile } from "node:fs/promises"'],
    ["postgres", 'import { PGlite } from "@electric-sql/pglite"'],
    ["http", 'import { Verification } from "@countersign/core"'],
    ["node", 'import * as Api from "@countersign/http/Api"'],
  ])("%s may say %s", (name, text) => {
    assert.deepStrictEqual(inSource(name, text), [])
  })

  test.each([
    ["core", 'import pg from "pg"', "core may not import pg"],
    ["core", 'import type { Pool } from "pg"', "core may not import pg"],
    ["core", 'import { type Pool } from "pg"', "core may not import pg"],
    ["core", 'export * from "pg"', "core may not import pg"],
    ["core", 'export { Pool } from "pg"', "core may not import pg"],
    ["core", 'const pg = await import("pg")', "core may not import pg"],
    ["core", 'const pg = require("pg")', "core may not import pg"],
    ["core", 'type Pool = import("pg").Pool', "core may not import pg"],
    ["core", 'let pool: typeof import("pg")', "core may not import pg"],
    ["core", 'import "node:fs"', "core may not import node:*"],
    ["core", 'import { join } from "path"', "core may not import node:*"],
    [
      "core",
      'import { x } from "@countersign/testing"',
      "core may not import @countersign/testing",
    ],
    [
      "core",
      'import { x } from "@countersign/core/ports/Store"',
      "core may not import @countersign/core",
    ],
    ["core", 'import { x } from "../test/helper.ts"', "../test/helper.ts leaves src/"],
    ["core", 'import { x } from "../../http/src/Api.ts"', "../../http/src/Api.ts leaves src/"],
    ["http", 'import "@effect/platform-node"', "http may not import @effect/platform-node"],
    ["node", 'import "@countersign/postgres"', "node may not import @countersign/postgres"],
    ["postgres", 'import "@countersign/http/Api"', "postgres may not import @countersign/http"],
    [
      "core",
      "const a = await import(name)",
      "an import whose target is computed cannot be checked",
    ],
  ])("%s may not say %s", (name, text, message) => {
    assert.deepStrictEqual(inSource(name, text), [`src/A.ts:1 ${message}`])
  })

  test("a violation is reported with its line", () => {
    assert.deepStrictEqual(inSource("core", '// one\n\nimport "pg"'), [
      "src/A.ts:3 core may not import pg",
    ])
  })

  test("an allowed package has to be in the manifest too", () => {
    const sources = [{ file: "src/A.ts", text: 'import * as Effect from "effect/Effect"' }]
    assert.deepStrictEqual(
      violationsOf({ name: "core", declared: [], sources }).map(({ message }) => message),
      ["effect is missing in the dependencies of core"],
    )
  })

  test("a package without a row in the table is refused", () => {
    assert.match(messages("carrier-pigeon")[0] ?? "", /carrier-pigeon has no row in the table/)
  })

  test("tests may use the suites, but no second adapter", () => {
    const text =
      'import "@countersign/testing/StoreSuite"\nimport "node:fs"\nimport "../src/A.ts"\nimport "../../../test/support/b.ts"'
    assert.deepStrictEqual(messages("http", { file: "test/A.test.ts", text }), [])
    const other = { file: "test/A.test.ts", text: 'import "@countersign/postgres"' }
    assert.match(messages("http", other)[0] ?? "", /may not import @countersign\/postgres/)
    const path = { file: "test/A.test.ts", text: 'import "../../postgres/src/PostgresStore.ts"' }
    assert.match(messages("http", path)[0] ?? "", /leaves test\//)
  })
})

describe("pure modules", () => {
  const doc = "/**\n * Rules.\n *\n * @module-kind pure\n */\n"
  const inPure = (text: string, ...more: ReadonlyArray<Source>): ReadonlyArray<string> =>
    messages("core", { file: "src/A.ts", text: doc + text }, ...more)

  test.each([
    'import * as Schema from "effect/Schema"',
    'import { Option, Result } from "effect"',
    'import { timingSafeEqual } from "effect/crypto/Mac"',
    'import { parsePhoneNumber } from "libphonenumber-js/max"',
    'import type { Store } from "./Store.ts"',
    "const at = new Date(5).toISOString()",
    "const day = Math.floor(5.5)",
    "const state = job.process ?? { performance: 1, fetch: 2 }",
    "interface Job { readonly process: string }",
  ])("may say %s", (text) => {
    assert.deepStrictEqual(inPure(text), [])
  })

  test.each([
    ['import * as Effect from "effect/Effect"', "may not import effect/Effect"],
    ['import type * as Effect from "effect/Effect"', "may not import effect/Effect"],
    ['import { Option, Effect } from "effect"', "may not import effect/Effect"],
    ['import { Effect as E } from "effect"', "may not import effect/Effect"],
    ['import * as effect from "effect"', "may not import all of effect"],
    ['import * as Clock from "effect/Clock"', "may not import effect/Clock"],
    ['import * as Random from "effect/Random"', "may not import effect/Random"],
    [
      'import * as S from "effect/crypto/SecureRandom"',
      "may not import effect/crypto/SecureRandom",
    ],
    ['import * as H from "effect/http/HttpClient"', "may not import effect/http/HttpClient"],
    ['import { store } from "./Store.ts"', "may not run ./Store.ts, which is not marked as pure"],
    ["const a = Date.now()", "may not use Date.now"],
    ["const a = globalThis.Date.now()", "may not use globalThis"],
    ["const { now } = Date, a = new Date()", "may not use new Date()"],
    ["const a = Math.random()", "may not use Math.random"],
    ["const a = performance.now()", "may not use performance"],
    ["const a = crypto.randomUUID()", "may not use crypto"],
    ["const a = DateTime.now", "may not use DateTime.now"],
    ["const a = DateTime.nowUnsafe()", "may not use DateTime.nowUnsafe"],
    ["setTimeout(() => {}, 5)", "may not use setTimeout"],
  ])("may not say %s", (text, message) => {
    assert.include(inPure(text), `src/A.ts:6 a pure module ${message}`)
  })

  test("may run another pure module", () => {
    const text = 'import { b } from "./internal/b.ts"'
    assert.deepStrictEqual(inPure(text, { file: "src/internal/b.ts", text: doc }), [])
  })

  test("without the marker nothing of this is held against a module", () => {
    assert.deepStrictEqual(inSource("core", "const a = Date.now()"), [])
  })

  test("every module that is listed as pure exists", () => {
    const missing = pureEffectModules.filter(
      (module) => !existsSync(fileURLToPath(import.meta.resolve(`effect/${module}`))),
    )
    assert.deepStrictEqual(missing, [])
  })
})
