/**
 * Projects outside of this repository that have the packages from their tarballs, put there by npm.
 */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root } from "./paths.ts"
import { type Finished, run, runPnpm } from "./run.ts"
import { readPackage, withOwnDependencies } from "./workspace.ts"

export interface Project {
  /** Its folder, and how its author writes programs. */
  readonly name:
    | "with Effect"
    | "without Effect"
    | "of a service that verifies proofs"
    | "with generated clients"
    | "Express alone"
    | "Express and Countersign"
    | "Countersign as a service"
  /** Ours, by their names, without those that they depend on. */
  readonly packages: ReadonlyArray<string>
  /** What its users install beside them. */
  readonly others: ReadonlyArray<string>
  /** Files of `test/tools/installed`, without their ending. */
  readonly programs: ReadonlyArray<string>
  /** Which of the compiler's own declarations it builds with. */
  readonly lib: ReadonlyArray<string>
}

/** A backend whose author never heard of Effect, on Node, without the DOM's types. */
export const plain: Project = {
  name: "without Effect",
  packages: [
    "countersign",
    "@countersign/client",
    "@countersign/express",
    "@countersign/fastify",
    "@countersign/hono",
    "@countersign/hooks",
    "@countersign/inbox",
  ],
  others: ["@types/express", "@types/node", "express", "fastify", "hono"],
  programs: ["backend", "mounts", "stack"],
  lib: ["ES2024"],
}

/** A service that accepts verified numbers from another one: neither core nor Effect is installed with it. */
export const verifier: Project = {
  name: "of a service that verifies proofs",
  packages: ["@countersign/proofs"],
  others: ["@types/node"],
  programs: ["verifier"],
  lib: ["ES2024"],
}

/** What a host has before it adds Countersign. */
export const express: Project = {
  name: "Express alone",
  packages: [],
  others: ["express"],
  programs: [],
  lib: [],
}

/** As little as a host installs: what remains after `express` is what Countersign costs. */
export const service: Project = {
  ...express,
  name: "Express and Countersign",
  packages: ["countersign", "@countersign/express"],
  programs: ["service"],
}

/** The whole service as one process, without a backend of its own. */
export const serving: Project = {
  name: "Countersign as a service",
  packages: ["@countersign/cli"],
  others: [],
  programs: [],
  lib: [],
}

/** A backend in Effect, whose own declarations need the DOM's, and its tests. */
export const effect: Project = {
  name: "with Effect",
  packages: [
    "@countersign/http",
    "@countersign/proofs",
    "@countersign/cli",
    "@countersign/testing",
  ],
  others: [
    "@effect/sql-pg",
    "@effect/vitest",
    "@electric-sql/pglite",
    "@types/node",
    "effect",
    "fast-check",
    "vitest",
  ],
  programs: ["engine", "imports"],
  lib: ["ES2024", "DOM"],
}

/** A project whose clients of the HTTP interface come from generators. */
export const generated: Project = {
  name: "with generated clients",
  packages: [],
  others: ["@hey-api/openapi-ts", "@types/node", "openapi-typescript", "typescript"],
  programs: ["generated/optional", "generated/sdk", "generated/types"],
  lib: ["ES2024", "DOM", "DOM.Iterable"],
}

/** The version that this repository is built with, also if a registry has a newer one. */
const versionOf = (name: string): string => {
  const owners = ["test/release", "test", "."].map((owner) =>
    join(root, owner, "node_modules", name),
  )
  const owner = owners.find((path) => existsSync(path))
  if (owner === undefined) throw new Error(`${name} is not a dependency of the tests`)
  return readPackage(owner).manifest.version
}

const configOf = (project: Project, module: string): string =>
  JSON.stringify({
    compilerOptions: {
      strict: true,
      // Nothing that is imported is let off, not even PGlite, whose declarations name types of a package
      // that it does not bring: ours do not lead to them.
      skipLibCheck: false,
      target: "ES2024",
      lib: project.lib,
      types: ["node"],
      module,
      moduleResolution: module === "NodeNext" ? module : "bundler",
      rootDir: "src",
      outDir: "dist",
    },
    include: ["src"],
  })

/** How the compiler finds modules: as Node does, or as bundlers do. */
export type Resolution = "node" | "bundler"

const configFile = (resolution: Resolution): string => `tsconfig.${resolution}.json`

const npm = (folder: string, ...args: ReadonlyArray<string>): Promise<Finished> =>
  run("npm", args, { cwd: folder, timeoutMillis: 240_000 })

const writeProject = (project: Project, folder: string): void => {
  mkdirSync(join(folder, "src"), { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(join(folder, configFile("node")), configOf(project, "NodeNext"))
  writeFileSync(join(folder, configFile("bundler")), configOf(project, "ESNext"))
  for (const program of project.programs) {
    const file = join(root, "test/tools/installed", `${program}.ts`)
    copyFileSync(file, join(folder, "src", basename(file)))
  }
}

const othersOf = ({ others }: Project): ReadonlyArray<string> =>
  others.map((name) => `${name}@${versionOf(name)}`)

/** Makes an empty folder a project, and installs what it needs with npm. */
export const install = async (
  project: Project,
  folder: string,
  tarballOf: (name: string) => string,
): Promise<Finished> => {
  writeProject(project, folder)
  return npm(
    folder,
    "install",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    ...withOwnDependencies(project.packages).map(tarballOf),
    ...othersOf(project),
  )
}

/** As {@link install}, for a project without packages of ours, with pnpm. */
export const installOthers = async (project: Project, folder: string): Promise<Finished> => {
  writeProject(project, folder)
  return addWithPnpm(folder, new Map(), othersOf(project))
}

/**
 * Adds packages to a project with pnpm, in the layout of npm: those of `tarballs`, by their names, and others. It links files that are on this
 * machine, which takes a tenth of the processor time of npm.
 */
export const addWithPnpm = (
  folder: string,
  tarballs: ReadonlyMap<string, string>,
  others: ReadonlyArray<string> = [],
): Promise<Finished> => {
  const files = [...tarballs].map(([name, tarball]) => [name, `file:${tarball}`] as const)
  const settings = {
    nodeLinker: "hoisted",
    // As npm does.
    dangerouslyAllowAllBuilds: true,
    minimumReleaseAge: 0,
    // Our packages depend on each other, and no registry has them.
    overrides: Object.fromEntries(files),
  }
  writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify(settings))
  const added = files.map(([, file]) => file)
  const args = ["add", "--prefer-offline", ...added, ...others]
  return runPnpm(args, { cwd: folder, timeoutMillis: 240_000 })
}

/** Lists what is installed; fails when something is missing, or does not fit what another asks for. */
export const list = (folder: string): Promise<Finished> => npm(folder, "ls", "--all")

/** The one that this repository is built with, and one for those who have not come that far. */
export type Compiler = "typescript" | "typescript-5"

const compilers: Readonly<Record<Compiler, string>> = {
  typescript: "node_modules/typescript/bin/tsc",
  "typescript-5": "test/release/node_modules/typescript/bin/tsc",
}

/** Type-checks a project, and writes its `dist` where modules are found as Node does. */
export const compile = (
  folder: string,
  compiler: Compiler,
  resolution: Resolution,
): Promise<Finished> =>
  run(
    process.execPath,
    [
      join(root, compilers[compiler]),
      "-p",
      configFile(resolution),
      ...(resolution === "node" ? [] : ["--noEmit"]),
    ],
    { cwd: folder },
  )

/** Runs what was compiled. */
export const start = (
  folder: string,
  program: string,
  options: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> =>
  run(process.execPath, [...options, join("dist", `${program}.js`)], {
    cwd: folder,
    env,
    timeoutMillis: 120_000,
  })
