/**
 * Plants a mistake in a copy of the sources, and runs the test that has to notice it.
 */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { root } from "../tools/paths.ts"
import { runVitest } from "../tools/testCommand.ts"

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
  readonly fullName: string
  readonly status: string
  readonly failureMessages: ReadonlyArray<string | null>
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
  /^(\.bin|\.cache|\.doc-examples|\.fixture-.*|\.packages|\.vite|dist)$/.test(basename(path))

/**
 * The sources, with packages that find each other inside the copy, because their links are relative;
 * everything else comes from the repository's own dependencies.
 */
const copySources = async (folder: string): Promise<void> => {
  for (const name of copied) {
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !isLeftOver(path),
    })
  }
  await mkdir(join(folder, "examples"))
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
}

/** Returns what removes the mistake again. */
const plant = async (
  folder: string,
  { file, find, replace }: Mistake,
): Promise<() => Promise<void>> => {
  const path = join(folder, file)
  const right = await readFile(path, "utf8")
  const parts = right.split(find)
  if (parts.length !== 2) {
    throw new Error(`${file} has the text ${parts.length - 1} times, and not once:\n${find}`)
  }
  await writeFile(path, parts.join(replace))
  return () => writeFile(path, right)
}

const projectOf = (path: string): string => {
  const [parent, name = ""] = path.split("/")
  return parent === "test" ? "test" : name
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const unique = (values: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(values)]

/** Runs the tests of the sources in `folder`, and gives those that ran. */
const runTests = async (
  folder: string,
  tests: ReadonlyArray<GuardingTest>,
  postgresUrl: string,
): Promise<ReadonlyArray<Ran>> => {
  const { code, files, stderr, stdout } = await runVitest(
    [
      `--config=${join(folder, "vitest.workspace.ts")}`,
      `--testNamePattern=(${unique(tests.map(({ title }) => escaped(title))).join("|")})$`,
      ...unique(tests.map(({ path }) => `--project=${projectOf(path)}`)),
      ...unique(tests.map(({ path }) => path)),
    ],
    { cwd: folder, env: { DATABASE_URL: postgresUrl }, timeoutMillis: 240_000 },
  )
  const ran = files
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "passed" || status === "failed")
  if (ran.length === 0)
    throw new Error(`No test ran; vitest ended with ${code}:\n${stdout}${stderr}`)
  return ran
}

/** Copies that no run uses now, without mistakes. Copying takes longer than many of the tests. */
const free: Array<string> = []

const inCopy = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  let folder = free.pop()
  if (folder === undefined) {
    folder = await mkdtemp(join(tmpdir(), "countersign-planted-"))
    await copySources(folder)
  }
  try {
    return await use(folder)
  } finally {
    free.push(folder)
  }
}

/** Call it after the last run. */
export const removeCopies = async (): Promise<void> => {
  for (const folder of free.splice(0)) await rm(folder, { recursive: true, force: true })
}

/** What becomes of the guarding test when the mistake is there. */
export const runPlanted = (mistake: Mistake, postgresUrl: string): Promise<ReadonlyArray<Ran>> =>
  inCopy(async (folder) => {
    const remove = await plant(folder, mistake)
    try {
      return await runTests(folder, [mistake.test], postgresUrl)
    } finally {
      await remove()
    }
  })

/** What becomes of all guarding tests when none is. */
export const runUnchanged = (
  mistakes: ReadonlyArray<Mistake>,
  postgresUrl: string,
): Promise<ReadonlyArray<Ran>> =>
  inCopy((folder) =>
    runTests(
      folder,
      mistakes.map(({ test }) => test),
      postgresUrl,
    ),
  )
