/**
 * Plants a mistake in a copy of the sources, and runs the test that has to notice it.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { root } from "../tools/paths.ts"
import { environment } from "../tools/run.ts"

export interface GuardingTest {
  /** Relative to the root. */
  readonly path: string
  /** Its title, after as many of its suites' as it takes to tell it from others: `suite > title`. */
  readonly title: string
}

export interface Mistake {
  /** What is wrong with it, as a sentence. */
  readonly name: string
  /** Relative to the root. */
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
  /** Fails when the mistake is there. */
  readonly test: GuardingTest
}

/** One test as a run has left it, without skipped ones. */
export interface Ran {
  /** Its suites and its title, with ` > ` between them. */
  readonly fullName: string
  readonly state: string
}

/** What `plantedRunner` is asked to run. */
export interface RunnerRequest {
  /** The file with the mistake, or the one that had it before; relative to the copy. */
  readonly changed: string | undefined
  /** Each file once. */
  readonly files: ReadonlyArray<{
    /** Relative to the copy. */
    readonly path: string
    /** A regular expression that the full names of its tests match. */
    readonly pattern: string
  }>
}

const copied = [
  "packages",
  "test",
  "docs",
  "package.json",
  "tsconfig.base.json",
  "tsconfig.test.base.json",
  "vitest.workspace.ts",
]

/** What tools have left there, and what only links to it. */
const isLeftOver = (path: string): boolean =>
  // The workspace of the release checks, which no copy needs.
  path === join(root, "test/release/node_modules") ||
  /^(\.bin|\.cache|\.doc-examples|\.fixture-.*|\.packages|\.vite|dist)$/.test(basename(path))

/** The second workspace keeps its packages here, and not only links to them. */
const tools = join(root, "test/release/node_modules")

/**
 * The sources, with packages that find each other inside the copy, because their links are relative;
 * everything else comes from the repository's own dependencies.
 */
export const copySources = async (folder: string): Promise<void> => {
  for (const name of copied) {
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !isLeftOver(path) && path !== tools,
    })
  }
  await mkdir(join(folder, "examples"))
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  await symlink(tools, join(folder, "test/release/node_modules"))
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const unique = (values: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(values)]

/** A copy of the sources, with the process that runs its tests. */
interface Copy {
  readonly folder: string
  readonly runner: ChildProcess
  /** The mistakes that it had. */
  readonly past: Array<Mistake>
}

const runMillis = 240_000

const startCopy = async (postgresUrl: string): Promise<Copy> => {
  const folder = await mkdtemp(join(tmpdir(), "countersign-planted-"))
  await copySources(folder)
  const runner = fork(join(import.meta.dirname, "plantedRunner.ts"), [folder], {
    cwd: folder,
    // The histories of the model are the same in every run.
    env: environment({ DATABASE_URL: postgresUrl, COUNTERSIGN_MODEL_SEED: "5" }),
    stdio: "ignore",
    // In a group of its own, so that its workers end with it.
    detached: true,
  })
  const [isReady] = await Promise.race([once(runner, "message"), once(runner, "exit")])
  if (isReady !== "ready") throw new Error(`The runner ended with ${isReady}`)
  return { folder, runner, past: [] }
}

const isRan = (answer: unknown): answer is ReadonlyArray<Ran> => Array.isArray(answer)

/** Runs tests of the copy, and gives those that ran. */
const runTests = async (
  { runner }: Copy,
  tests: ReadonlyArray<GuardingTest>,
  changed?: string,
): Promise<ReadonlyArray<Ran>> => {
  const request: RunnerRequest = {
    changed,
    // A store's contract has the titles of another store's: each file runs its own tests only.
    files: [...Map.groupBy(tests, ({ path }) => path)].map(([path, own]) => ({
      path,
      pattern: `(${unique(own.map(({ title }) => escaped(title))).join("|")})$`,
    })),
  }
  runner.send(request)
  // Removes the listeners, because the runner gets many requests.
  const answered = new AbortController()
  const signal = AbortSignal.any([AbortSignal.timeout(runMillis), answered.signal])
  try {
    const [answer] = await Promise.race([
      once(runner, "message", { signal }),
      once(runner, "exit", { signal }),
    ])
    if (!isRan(answer)) throw new Error(`No test ran: ${String(answer)}`)
    return answer
  } finally {
    answered.abort()
  }
}

/** Copies that no run uses now, without mistakes. */
const free: Array<Copy> = []

const removeCopy = async ({ folder, runner }: Copy): Promise<void> => {
  if (runner.pid !== undefined && runner.exitCode === null) process.kill(-runner.pid, "SIGKILL")
  await rm(folder, { recursive: true, force: true })
}

/** Call it after the last run. */
export const removeCopies = async (): Promise<void> => {
  for (const copy of free.splice(0)) await removeCopy(copy)
}

/** What becomes of the guarding test when the mistake is there. */
export const runPlanted = async (
  mistake: Mistake,
  postgresUrl: string,
): Promise<ReadonlyArray<Ran>> => {
  const { file, find, replace } = mistake
  const copy = free.pop() ?? (await startCopy(postgresUrl))
  try {
    const path = join(copy.folder, file)
    const right = await readFile(path, "utf8")
    const parts = right.split(find)
    if (parts.length !== 2) {
      throw new Error(`${file} has the text ${parts.length - 1} times, and not once:\n${find}`)
    }
    await writeFile(path, parts.join(replace))
    const ran = await runTests(copy, [mistake.test], file)
    await writeFile(path, right)
    copy.past.push(mistake)
    free.push(copy)
    return ran
  } catch (error) {
    await removeCopy(copy)
    throw error
  }
}

/** What becomes of the guarding tests of past mistakes, each in the copy that had the mistake. */
export const runCorrected = async (): Promise<ReadonlyArray<Ran>> => {
  const runs = free.map((copy) =>
    runTests(
      copy,
      copy.past.map(({ test }) => test),
    ),
  )
  return (await Promise.all(runs)).flat()
}
