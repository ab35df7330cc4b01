/**
 * Each lint rule finds what it forbids. All cases are linted in one run, one file for each.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { pureEffectModules } from "../../oxlint.config.ts"
import { root } from "./paths.ts"
import { run } from "./run.ts"

const source = "packages/core/src/Planted.ts"
const tests = "packages/core/test/Planted.test.ts"

type Case = readonly [file: string, text: string, rule?: string]

const mistakes: ReadonlyArray<Case> = [
  [source, "export const a = Date.now()", "eslint(no-restricted-properties)"],
  [source, "export const a = globalThis.Date.now()", "eslint(no-restricted-properties)"],
  [source, "export const { now } = Date", "eslint(no-restricted-properties)"],
  [source, "export const a = Math.random()", "eslint(no-restricted-properties)"],
  [source, "export const a = performance.now()", "eslint(no-restricted-properties)"],
  [source, "export const a = new Date()", "countersign(no-machine-time)"],
  [source, "export const a = Date()", "countersign(no-machine-time)"],
  [source, "setTimeout(Boolean, 5)", "eslint(no-restricted-globals)"],
  [source, "console.log(1)", "eslint(no-console)"],
  [source, "export const a: any = 1", "typescript(no-explicit-any)"],
  [
    source,
    "export const a = (b: ReadonlyArray<number>) => b[0]!",
    "typescript(no-non-null-assertion)",
  ],
  [source, "// @ts-ignore\nexport const a = 1", "typescript(ban-ts-comment)"],
  [source, "export const a = {} as Map<string, string>", "typescript(consistent-type-assertions)"],
  [source, "const a = 1", "eslint(no-unused-vars)"],
  [source, 'import { b } from "./B.ts"', "eslint(no-unused-vars)"],
  [source, 'export * from "./B"', "import(extensions)"],
  [
    source,
    'import { B } from "./B.ts"\nexport const a: B = 1',
    "typescript(consistent-type-imports)",
  ],
  [source, 'export const a: unknown = require("pg")', "typescript(no-require-imports)"],
  [source, 'export type A = import("pg").Pool', "typescript(consistent-type-imports)"],
  [source, "export const a = (b: string) => import(b)", "import(no-dynamic-require)"],
  [tests, 'test.skip("a", () => {})', "countersign(no-withheld-tests)"],
  [tests, 'test.only("a", () => {})', "countersign(no-withheld-tests)"],
  [tests, 'it.todo("a")', "countersign(no-withheld-tests)"],
  [tests, 'it.effect.skip("a", () => Effect.void)', "countersign(no-withheld-tests)"],
  [tests, 'it.effect.only("a", () => Effect.void)', "countersign(no-withheld-tests)"],
  [tests, 'it.effect.skipIf(true)("a", () => Effect.void)', "countersign(no-withheld-tests)"],
  [tests, 'describe.skip("a", () => {})', "countersign(no-withheld-tests)"],
]

const accepted: ReadonlyArray<Case> = [
  [source, "export const a = new Date(5)"],
  [source, "export const a = [1, 2] as const"],
  [source, 'export class A { readonly _tag = "A" }'],
  [source, "// @ts-expect-error the type of this is what we test\nexport const a: string = 1"],
  ["test/tools/Planted.ts", "console.log(Date.now(), new Date())"],
  [tests, 'test("a", () => {})'],
]

const lines = Array.from({ length: 400 }, (_, index) => `export const a${index} = ${index}`)
const disable = "// oxlint-disable-next-line typescript/no-explicit-any"
const line = "export const a: any = 1"

const imports = "eslint(no-restricted-imports)"
const from = (specifier: string): string => `export * from ${JSON.stringify(specifier)}`

/** The file is below `packages`. */
const forbiddenImports: ReadonlyArray<Case> = (
  [
    ["core/src/Planted.ts", from("pg")],
    ["core/src/Planted.ts", 'export type { Pool } from "pg"'],
    ["core/src/Planted.ts", 'export const a = await import("pg")'],
    ["core/src/Planted.ts", from("node:fs")],
    ["core/src/Planted.ts", from("path")],
    ["core/src/Planted.ts", from("@countersign/testing")],
    ["core/src/Planted.ts", from("@countersign/core/ports/Store")],
    ["core/src/Planted.ts", from("../test/helper.ts")],
    ["core/src/Planted.ts", from("../../http/src/tenant/Api.ts")],
    ["core/src/Planted.ts", from("./../test/helper.ts")],
    ["core/src/Planted.ts", from("./domain/../../test/helper.ts")],
    ["core/src/services/Planted.ts", from("pg")],
    ["core/src/services/internal/deeper/planted.ts", from("pg")],
    ["http/src/internal/planted.ts", from("../../test/helper.ts")],
    ["http/src/internal/planted.ts", from("./../../test/helper.ts")],
    ["gateways/src/internal/smpp/planted.ts", from("../../../test/helper.ts")],
    ["gateways/src/internal/smpp/planted.ts", from("@countersign/http/tenant/Api")],
    ["postgres/src/Planted.ts", from("@countersign/http/tenant/Api")],
    ["gateways/src/Planted.ts", from("@countersign/postgres")],
    ["http/src/Planted.ts", from("@effect/platform-node")],
    ["http/src/Planted.ts", from("node:http")],
    ["node/src/Planted.ts", from("@countersign/postgres")],
    ["express/src/Planted.ts", from("effect/Effect")],
    ["fastify/src/Planted.ts", from("express")],
    ["hono/src/Planted.ts", from("node:http")],
    ["countersign/src/internal/planted.ts", from("pg")],
    ["client/src/Planted.ts", from("effect/Effect")],
    ["testing/src/Planted.ts", from("@countersign/postgres")],
    ["carrier-pigeon/src/Planted.ts", from("effect/Effect")],
    ["http/test/Planted.test.ts", from("@countersign/postgres/PostgresStore")],
    ["http/test/Planted.test.ts", from("countersign")],
    ["http/test/Planted.test.ts", from("../../postgres/src/PostgresStore.ts")],
    ["http/test/internal/planted.test.ts", from("../../../postgres/src/PostgresStore.ts")],
    ["core/test/Planted.test.ts", from("../../../packages/postgres/src/PostgresStore.ts")],
    ["core/src/domain/money/Planted.ts", from("../../text/Segments.ts")],
    ["core/src/domain/money/Planted.ts", from("../messages/Message.ts")],
    ["core/src/domain/money/Planted.ts", from("./../messages/Message.ts")],
    ["core/src/domain/money/Planted.ts", from("../../index.ts")],
    ["core/src/domain/values/Planted.ts", from("../errors/Errors.ts")],
    ["core/src/domain/values/internal/planted.ts", from("../../errors/Errors.ts")],
    ["core/src/domain/values/internal/planted.ts", from("../../../decide/Command.ts")],
    ["core/src/domain/values/internal/planted.ts", from("../../../../test/helper.ts")],
    ["core/src/domain/planted/Planted.ts", from("../values/Money.ts")],
    ["core/src/domain/Planted.ts", from("./values/Money.ts")],
    ["core/src/planted/Planted.ts", from("../domain/values/Money.ts")],
    ["core/src/text/Planted.ts", from("../decide/Command.ts")],
    ["core/src/text/Planted.ts", from("../services/Messages.ts")],
    ["core/src/decide/shared/Planted.ts", from("../Command.ts")],
    ["core/src/decide/commands/planted.ts", from("../Command.ts")],
    ["core/src/decide/Planted.ts", from("./maintenance/Pruning.ts")],
    ["core/src/decide/Planted.ts", from("../ports/Store.ts")],
    ["core/src/decide/commands/planted.ts", from("../../services/Messages.ts")],
    ["core/src/ports/Planted.ts", from("../services/Messages.ts")],
    ["core/src/engine/internal/planted.ts", from("../../delivery/Dispatcher.ts")],
    ["core/src/services/Planted.ts", from("../jobs/Settlement.ts")],
    ["core/src/services/internal/planted.ts", from("../../adapters/MemoryStore.ts")],
    ["core/src/routing/Planted.ts", from("../adapters/MemoryStore.ts")],
    ["core/src/domain/money/Planted.ts", from("pg")],
    ["core/src/domain/money/Planted.ts", from("node:crypto")],
    ["core/src/domain/money/Planted.ts", from("effect")],
    ["core/src/domain/money/Planted.ts", from("effect/Effect")],
    ["core/src/domain/money/Planted.ts", 'export type { Effect } from "effect/Effect"'],
    ["core/src/domain/values/internal/planted.ts", from("effect/Clock")],
    ["core/src/text/Planted.ts", from("effect/Random")],
    ["core/src/decide/Planted.ts", from("effect/DateTime")],
    ["core/src/decide/commands/planted.ts", from("effect/crypto/SecureRandom")],
  ] as const
).map(([file, text]) => [`packages/${file}`, text, imports])

const allowedImports: ReadonlyArray<Case> = (
  [
    ["core/src/services/Planted.ts", from("effect/Effect")],
    ["core/src/domain/values/Planted.ts", from("libphonenumber-js/max")],
    ["core/src/domain/values/Planted.ts", from("./internal/checks.ts")],
    ["core/src/domain/money/Planted.ts", from("effect/Result")],
    ["core/src/domain/money/Planted.ts", from("effect/crypto/Mac")],
    ["core/src/domain/money/Planted.ts", from("../values/internal/checks.ts")],
    ["core/src/domain/values/internal/planted.ts", from("../Money.ts")],
    ["core/src/text/Planted.ts", from("../domain/messages/Message.ts")],
    ["core/src/decide/Planted.ts", from("./commands/checks.ts")],
    ["core/src/decide/commands/planted.ts", from("../../domain/values/internal/checks.ts")],
    ["core/src/services/internal/planted.ts", from("../../ports/Store.ts")],
    ["core/src/services/internal/planted.ts", from("../Messages.ts")],
    ["core/src/services/verifications/Planted.ts", from("../../engine/internal/newId.ts")],
    ["core/src/adapters/Planted.ts", from("../routing/Router.ts")],
    ["postgres/src/Planted.ts", from("node:fs/promises")],
    ["postgres/src/Planted.ts", from("@electric-sql/pglite")],
    ["postgres/src/internal/planted.ts", from("@electric-sql/pglite/nodefs")],
    ["postgres/src/internal/planted.ts", from("../PostgresStore.ts")],
    ["http/src/Planted.ts", from("@countersign/core")],
    ["node/src/Planted.ts", from("@countersign/http/tenant/Api")],
    ["gateways/src/internal/smpp/planted.ts", from("../../Smpp.ts")],
    ["gateways/src/internal/smpp/planted.ts", from("node:net")],
    ["http/test/Planted.test.ts", from("@countersign/testing/HttpContract")],
    ["http/test/Planted.test.ts", from("@countersign/core/domain/messages/Message")],
    ["http/test/Planted.test.ts", from("@countersign/http/tenant/Api")],
    ["http/test/Planted.test.ts", from("../src/Api.ts")],
    ["http/test/Planted.test.ts", from("../../../test/support/freePorts.ts")],
    ["http/test/Planted.test.ts", from("node:fs")],
  ] as const
).map(([file, text]) => [`packages/${file}`, text])

const pure = "packages/core/src/decide/Planted.ts"
const globals = "eslint(no-restricted-globals)"

const impure: ReadonlyArray<Case> = [
  [pure, "export const a = Date.now()", "eslint(no-restricted-properties)"],
  [pure, "export const a = Math.random()", "eslint(no-restricted-properties)"],
  [pure, "export const a = new Date()", "countersign(no-machine-time)"],
  [pure, "export const a = globalThis", globals],
  [pure, "export const a = performance", globals],
  [pure, "export const a = process.env", globals],
  [pure, "export const a = console", globals],
  [pure, "export const a = crypto.randomUUID()", globals],
  [pure, 'export const a = fetch("http://127.0.0.1")', globals],
  [pure, "setTimeout(Boolean, 5)", globals],
  [pure, "setInterval(Boolean, 5)", globals],
  [pure, "setImmediate(Boolean)", globals],
  [pure, "queueMicrotask(Boolean)", globals],
  ["packages/core/src/domain/money/Planted.ts", "export const a = process", globals],
  ["packages/core/src/domain/values/internal/planted.ts", "export const a = process", globals],
  ["packages/core/src/text/Planted.ts", "export const a = process", globals],
]

const pureExpressions: ReadonlyArray<Case> = [
  [pure, "export const a = new Date(5).toISOString()"],
  [pure, "export const a = Math.floor(5.5)"],
  [pure, "export const a = { process: 1, fetch: 2 }"],
  [pure, "export interface Job { readonly process: string }"],
  ["packages/core/src/services/Planted.ts", "export const a = process"],
]

const limits: ReadonlyArray<Case> = [
  [source, lines.join("\n")],
  [source, [...lines, "export const b = 1"].join("\n"), "eslint(max-lines)"],
]

const disabled: ReadonlyArray<Case> = [
  [source, `${disable} -- the library says so\n${line}`],
  [source, `${disable}\n${line}`, "countersign(explained-disable)"],
  // oxlint names no rule here.
  [source, `${disable} -- there was a reason once\nexport const a = 1`, ""],
]

const all = [
  ...mistakes,
  ...accepted,
  ...forbiddenImports,
  ...allowedImports,
  ...impure,
  ...pureExpressions,
  ...limits,
  ...disabled,
]

const folder = mkdtempSync(join(tmpdir(), "countersign-lint-"))
const broken = new Map<string, Array<string>>()

const plantedFile = (one: Case): string =>
  one[0].replace(/planted/i, (name) => `${name}${all.indexOf(one)}`)

beforeAll(async () => {
  for (const file of ["oxlint.config.ts", "test/tools/oxlintPlugin.ts"]) {
    cpSync(join(root, file), join(folder, file))
  }
  for (const one of all) {
    const path = join(folder, plantedFile(one))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${one[1]}\n`)
  }
  const { stdout } = await run("oxlint", ["-f", "unix"], { cwd: folder })
  for (const [, file = "", rule = ""] of stdout.matchAll(
    /^(\S+?):\d+:\d+: .*\[Error(?:\/([^\]]+))?\]$/gm,
  )) {
    broken.set(file, [...(broken.get(file) ?? []), rule])
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const check = (one: Case): void => {
  const [, , rule] = one
  assert.deepStrictEqual(broken.get(plantedFile(one)) ?? [], rule === undefined ? [] : [rule])
}

describe.each([
  ["mistakes", mistakes],
  ["imports", forbiddenImports],
  ["impure code in a pure folder", impure],
] as const)("oxlint finds %s:", (_title, cases) => {
  test.each(cases.map((one) => [one[0], one[1], one] as const))("%s with %j", (_file, _text, one) =>
    check(one),
  )
})

describe.each([
  ["code", accepted],
  ["imports", allowedImports],
  ["pure code", pureExpressions],
] as const)("oxlint accepts %s:", (_title, cases) => {
  test.each(cases.map((one) => [one[0], one[1], one] as const))("%s with %j", (_file, _text, one) =>
    check(one),
  )
})

test.each(limits.map((one) => [one[1].split("\n").length, one] as const))(
  "a file of %i lines is checked against the limit of 400",
  (_lines, one) => check(one),
)

test.each(disabled.map((one) => [one[1], one] as const))(
  "a rule is disabled with a reason and with need only: %j",
  (_text, one) => check(one),
)

test("every module of effect that is listed as pure exists", () => {
  const missing = pureEffectModules.filter(
    (module) => !existsSync(fileURLToPath(import.meta.resolve(`effect/${module}`))),
  )
  assert.deepStrictEqual(missing, [])
})
