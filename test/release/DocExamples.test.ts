/**
 * Every code block of the documents does what it shows.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, inject, test } from "vitest"
import {
  type Example,
  examplesOf,
  hasTest,
  isCommandLine,
  matchesOutput,
  needsService,
} from "./tools/docExamples.ts"
import {
  addressed,
  type Program,
  removePrograms,
  runProgram,
  runShell,
  type Service,
  typeErrors,
  writePrograms,
} from "./tools/docRun.ts"
import { codeOf } from "../tools/exampleFiles.ts"
import { packAll } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import type { Finished } from "../tools/run.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { type Quickstart, startQuickstart } from "../support/Quickstart.ts"
import { databases } from "../../examples/quickstart/test/support/onServer.ts"

const documents = globSync(
  ["*.md", "docs/**/*.md", "packages/*/README.md", "examples/*/README.md", "test/**/README.md"],
  { cwd: root, exclude: ["**/node_modules/**", "CHANGELOG.md"] },
)
  .toSorted()
  .map((file) => ({ file, examples: examplesOf(readFileSync(join(root, file), "utf8")) }))

const testSources = globSync(
  ["{packages,examples}/*/test/**/*.test.ts", "test/**/*.test.ts", "test/support/*Suite.ts"],
  {
    cwd: root,
    exclude: ["**/node_modules/**"],
  },
).map((file) => readFileSync(join(root, file), "utf8"))

const programOf = (file: string, line: number, code: string): Program => ({
  name: `${file.replaceAll(/[^A-Za-z0-9]+/g, "-")}-${line}`,
  code,
})

const programs = documents.flatMap(({ file, examples }) =>
  examples.flatMap((one) => (one.kind === "program" ? [programOf(file, one.line, one.code)] : [])),
)

let errors: ReadonlyMap<string, ReadonlyArray<string>> = new Map()

beforeAll(async () => {
  removePrograms()
  if (programs.length === 0) return
  writePrograms(programs)
  errors = await typeErrors(await packAll(inject("tarballsFolder")))
})

afterAll(removePrograms)

const assertFinished = (finished: Finished, output: string | undefined): void => {
  const { code, timedOut, stdout, stderr } = finished
  assert.isFalse(timedOut, `it did not end in time\n${stdout}${stderr}`)
  assert.strictEqual(code, 0, `${stdout}${stderr}`)
  if (output !== undefined && !matchesOutput(output, stdout)) assert.strictEqual(stdout, output)
}

/**
 * The README's begin as a newcomer's do, on the embedded database, and so does what shows its notice. It
 * takes seconds each time, so the quickstarts of other documents are on a server as well.
 */
const takesDatabase = (
  file: string,
  { code, output = "" }: Extract<Example, { readonly kind: "program" }>,
): boolean =>
  file !== "README.md" && !output.startsWith("…") && code.includes('process.env["DATABASE_URL"]')

const onDatabase = <A>(body: (url: string) => Promise<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(freshDatabase(inject("postgresUrl")), (url) =>
        Effect.promise(() => body(Redacted.value(url))),
      ),
    ),
  )

const check = async (file: string, example: Example, service: () => Service): Promise<void> => {
  const running = needsService(example) ? service() : undefined
  const shown = "output" in example ? example.output : undefined
  const output = shown === undefined ? undefined : addressed(shown, running)
  switch (example.kind) {
    case "program": {
      const program = programOf(file, example.line, example.code)
      assert.deepStrictEqual(errors.get(program.name) ?? [], [])
      const ran = takesDatabase(file, example)
        ? await onDatabase((url) => runProgram(program, running, example.serves, url))
        : await runProgram(program, running, example.serves)
      return assertFinished(ran, output)
    }
    case "shell": {
      const run = (url?: string): Promise<Finished> =>
        runShell(example.code, running, output !== undefined, url)
      return assertFinished(
        isCommandLine(example.code) ? await onDatabase(run) : await run(),
        output,
      )
    }
    case "feature":
      assert.match(
        example.path,
        /^(examples\/features|test\/release\/(logins|transactions))\/[\w/-]+\.ts$/,
      )
      return assert.strictEqual(example.code, codeOf(example.path), "run pnpm codegen")
    case "data":
      return void JSON.parse(example.code)
    case "covered":
      return assert.isTrue(hasTest(example.by, testSources), `there is no test "${example.by}"`)
    case "file":
      return assert.isTrue(hasTest(file, testSources), `there is no test "${file}"`)
    case "problem":
      return assert.fail(example.message)
    case "output":
    case "diagram":
      return undefined
  }
}

test("the examples type-check together with their imports", () => {
  assert.deepStrictEqual(errors.get("") ?? [], [])
})

for (const { file, examples } of documents) {
  if (examples.length === 0) continue
  describe(file, () => {
    let running: Quickstart | undefined
    const service = (): Service => {
      if (running === undefined) throw new Error("no quickstart is running")
      const { baseUrl, inboxUrl, keys } = running
      return { baseUrl, inboxUrl, key: keys["acme"] ?? "" }
    }

    const { close, start } = databases()
    beforeAll(async () => {
      if (!examples.some(needsService)) return
      running = file === "README.md" ? await startQuickstart() : await start()
    })
    afterAll(async () => {
      await running?.stop()
      await close()
    })

    test.each(examples.map((example) => [example.line, example.kind, example] as const))(
      "line %i: %s",
      (_line, _kind, example) => check(file, example, service),
    )
  })
}
