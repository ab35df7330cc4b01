/**
 * A process with a vitest over one copy of the sources. It runs tests, one request
 * after another: starting a new vitest takes four times as long as most of the tests.
 */
import { join } from "node:path"
import { inspect } from "node:util"
import { createVitest } from "vitest/node"
import type { Ran, RunnerRequest } from "./planting.ts"

const folder = process.argv[2] ?? ""

const vitest = await createVitest("test", {
  root: folder,
  config: join(folder, "vitest.workspace.ts"),
  watch: false,
  reporters: [{}],
})

/** The file that the request before has changed. It has no mistake any more. */
let before: string | undefined

const run = async ({ changed, files }: RunnerRequest): Promise<ReadonlyArray<Ran>> => {
  for (const file of [before, changed]) {
    if (file !== undefined) vitest.invalidateFile(join(folder, file))
  }
  before = changed
  const project = vitest.getRootProject()
  const specifications = files.map(({ path, pattern }) =>
    project.createSpecification(join(folder, path), { testNamePattern: new RegExp(pattern) }),
  )
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  // The result also has the modules of the requests before.
  const wanted = new Set(specifications.map(({ moduleId }) => moduleId))
  const modules = testModules.filter(({ moduleId }) => wanted.has(moduleId))
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const ran = tests
    .map((one) => ({ fullName: one.fullName, state: one.result().state }))
    .filter(({ state }) => state === "passed" || state === "failed")
  if (ran.length > 0) return ran
  throw new Error(inspect([...unhandledErrors, ...modules.flatMap((module) => module.errors())]))
}

process.on("message", (request: RunnerRequest) => {
  run(request).then(
    (ran) => process.send?.(ran),
    (error: unknown) => process.send?.(String(error)),
  )
})
process.send?.("ready")
