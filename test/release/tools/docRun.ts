/**
 * Type-checks and runs the examples of the documents.
 */
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { documentedBase } from "./docExamples.ts"
import { type PackedPackage, unpack } from "../../tools/packing.ts"
import { root } from "../../tools/paths.ts"
import { type Finished, run } from "../../tools/run.ts"

// Here, so that imports of both workspaces' packages are found.
const folder = join(root, "test/release/.doc-examples")

const timeoutMillis = 120_000

export interface Program {
  /** A file name without its ending. */
  readonly name: string
  readonly code: string
}

const fileOf = (name: string): string => join(folder, `${name}.ts`)

export const writePrograms = (programs: ReadonlyArray<Program>): void => {
  mkdirSync(folder, { recursive: true })
  for (const { name, code } of programs) writeFileSync(fileOf(name), `${code}\n`)
  const config = {
    extends: "../../../tsconfig.test.base.json",
    include: ["*.ts"],
    compilerOptions: {
      incremental: false,
      // PGlite's own .d.ts name the types of @types/emscripten, which it does not depend on.
      skipLibCheck: true,
      // An example may end with the value it is about.
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
}

export const removePrograms = (): void => rmSync(folder, { recursive: true, force: true })

/**
 * What the compiler says, by program; under an empty name what it says of anything else. It reads the declarations of
 * the packages, as in a host's project, which takes a sixth of the time of their sources.
 */
export const typeErrors = async (
  packages: ReadonlyArray<PackedPackage>,
): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const installed = join(folder, "node_modules")
  for (const { source, tarball } of packages) {
    await unpack(tarball, join(installed, source.manifest.name))
  }
  const { code, stdout } = await run("tsc", ["--noEmit", "--pretty", "false", "-p", folder])
  // The programs run on the sources.
  rmSync(installed, { recursive: true })
  const lines = stdout.split("\n").filter((line) => line.trim() !== "")
  const named = lines.map((line) => {
    const name = /(?:^|\/)\.doc-examples\/([^/]+)\.ts\(/.exec(line)?.[1]
    return [name ?? "", line] as const
  })
  if (code !== 0 && named.length === 0) named.push(["", `tsc ended with ${code}`])
  return new Map(
    Map.groupBy(named, ([name]) => name)
      .entries()
      .map(([name, entries]) => [name, entries.map(([, line]) => line)] as const),
  )
}

/** The running service that a document's examples talk to. */
export interface Service {
  readonly baseUrl: string
  readonly inboxUrl: string
  /** The key that the examples use. */
  readonly key: string
}

const environmentOf = (service: Service | undefined): Record<string, string> =>
  service === undefined
    ? {}
    : { BASE: service.baseUrl, INBOX: service.inboxUrl, COUNTERSIGN_KEY: service.key }

/** The text with the address of the service that is really running. */
export const addressed = (text: string, service: Service | undefined): string =>
  service === undefined ? text : text.replaceAll(documentedBase, new URL(service.baseUrl).origin)

const inEmptyFolder = async (body: (cwd: string) => Promise<Finished>): Promise<Finished> => {
  const cwd = mkdtempSync(join(tmpdir(), "countersign-example-"))
  try {
    return await body(cwd)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** What a server prints when it takes requests. */
const ready = "ready"

export const runProgram = (
  program: Program,
  service: Service | undefined,
  serves: boolean,
  database?: string,
): Promise<Finished> =>
  inEmptyFolder((cwd) => {
    writeFileSync(fileOf(program.name), `${addressed(program.code, service)}\n`)
    const env = {
      ...environmentOf(service),
      DASHBOARD_PASSWORD: randomBytes(12).toString("hex"),
      HOOK_TOKEN: randomBytes(32).toString("hex"),
      SEND_SMS_HOOK_SECRETS: `v1,whsec_${randomBytes(32).toString("base64")}`,
      ZITADEL_SIGNING_KEY: randomBytes(32).toString("hex"),
      ...(serves ? { PORT: "0" } : {}),
      // With a server the engine asks for a secret; on the embedded database it makes one.
      ...(database === undefined
        ? {}
        : { DATABASE_URL: database, COUNTERSIGN_SECRET: randomBytes(32).toString("hex") }),
    }
    const ending = serves ? { endWhenPrinted: ready } : {}
    return run(process.execPath, [fileOf(program.name)], { cwd, env, timeoutMillis, ...ending })
  })

/**
 * Runs a script. Unless the document shows what comes out of it, an answer of 400 or more to curl
 * is a failure: an example must not be refused without its text saying so.
 */
export const runShell = (
  code: string,
  service: Service | undefined,
  refusalShown: boolean,
  database?: string,
): Promise<Finished> =>
  inEmptyFolder((cwd) => {
    writeFileSync(join(cwd, ".curlrc"), refusalShown ? "" : "fail-with-body\n")
    const env = {
      ...environmentOf(service),
      ...(database === undefined ? {} : { DATABASE_URL: database }),
      CURL_HOME: cwd,
      HOME: cwd,
    }
    const script = addressed(code, service)
    return run("bash", ["-euo", "pipefail", "-c", script], { cwd, env, timeoutMillis })
  })
