/**
 * Projects as users of the packages have them: a folder of `projects`, the files that a guide shows, and the
 * packages from their tarballs.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { end, type Ended, type Running, spawnProgram } from "../support/Example.ts"
import { eventually } from "../support/eventually.ts"
import { freePorts } from "../support/freePorts.ts"
import { examplesOf } from "./tools/docExamples.ts"
import { addWithPnpm, plain } from "../tools/installed.ts"
import { withOwnDependencies } from "../tools/workspace.ts"
import { root } from "../tools/paths.ts"
import type { Finished } from "../tools/run.ts"

/** The files of a guide, each under the path that its comment names. */
const writeFiles = (guide: string, folder: string): void => {
  for (const example of examplesOf(readFileSync(join(root, guide), "utf8"))) {
    if (example.kind !== "file") continue
    const file = join(folder, example.path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, example.code)
  }
}

export interface Project {
  /** Its folder in `projects`. */
  readonly name: string
  /** Relative to the root. */
  readonly guides: ReadonlyArray<string>
  /** Ours, by their names. @defaultValue those of a backend without Effect */
  readonly packages?: ReadonlyArray<string>
}

/** Makes the project in `folder`, and installs what it needs. */
export const installProject = (
  { guides, name, packages = plain.packages }: Project,
  folder: string,
  tarballOf: (name: string) => string,
): Promise<Finished> => {
  cpSync(join(import.meta.dirname, "projects", name), folder, { recursive: true })
  for (const guide of guides) writeFiles(guide, folder)
  const names = withOwnDependencies(packages)
  return addWithPnpm(folder, new Map(names.map((name) => [name, tarballOf(name)])))
}

const dependencies = createRequire(import.meta.url)

/** The binary that npm ships for this platform; `undefined` where it ships none, or pnpm left it out. */
const binaryOf = (path: string): string | undefined => {
  try {
    return dependencies.resolve(path)
  } catch {
    return undefined
  }
}

export interface Runtime {
  readonly name: string
  /** `undefined` if there is no binary for this platform. */
  readonly binary: string | undefined
  /** What stands before the name of a program. */
  readonly args: ReadonlyArray<string>
}

const arm = process.arch === "arm64"

export const runtimes = {
  node: { name: "Node", binary: process.execPath, args: [] },
  bun: {
    name: "Bun",
    binary: binaryOf(`@oven/bun-${process.platform}-${arm ? "aarch64" : process.arch}/bin/bun`),
    args: [],
  },
  deno: {
    name: "Deno",
    binary: binaryOf(`@deno/${process.platform}-${process.arch}-glibc/deno`),
    // The permissions of the guide, and a refusal instead of a question.
    args: ["run", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-write"],
  },
} as const satisfies Readonly<Record<string, Runtime>>

/** A server that runs. Its disposal ends it, however the test has ended. */
export interface Served extends AsyncDisposable, Pick<Running, "stdout"> {
  readonly origin: string
  /** Sends SIGTERM, and waits for the end. */
  readonly stop: () => Promise<Ended>
}

/** Runs a server of a project on a free port, until it answers. */
export const serveProject = async (
  folder: string,
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Promise<Served> => {
  const [port = 0] = await freePorts(1)
  const origin = `http://127.0.0.1:${port}`
  const settings = { PORT: String(port), HOST: "127.0.0.1", ...env }
  const running = spawnProgram(folder, command, args, settings)
  const { child, stderr, stdout } = running
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const answers = async () => void (isOver() || (await fetch(`${origin}/`)))
  await eventually(answers, { withinMillis: 60_000 }).catch(() => end(running, "SIGKILL"))
  if (isOver()) {
    throw new Error(`${command} ${args.join(" ")} does not serve\n${stdout()}${stderr()}`)
  }
  const dispose = async (): Promise<void> => void (await end(running, "SIGKILL"))
  return { origin, stdout, stop: () => end(running, "SIGTERM"), [Symbol.asyncDispose]: dispose }
}
