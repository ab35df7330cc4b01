/**
 * Starts PGlite on a locked folder, or in memory, and runs wire-protocol messages on it. PGlite is PostgreSQL in
 * single-user mode, compiled to WebAssembly. This module changes its behavior in four ways.
 *
 * - PGlite turns `fsync` off, and its file system ignores the call. Here both are on, so that a commit is on
 *   the disk before it is acknowledged.
 * - A first start that is interrupted leaves an incomplete database. Here the database is created in a separate
 *   folder, which is renamed when it is complete.
 * - PGlite ignores settings in the startup packet. Here they become command line arguments.
 * - PGlite hides a crash of the engine and loops without end on the next message. Here a crash is final.
 */
import type { PGlite } from "@electric-sql/pglite"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { unpack } from "./initialData.ts"

export interface EngineOptions {
  /** An existing folder that this process has locked; `undefined` for a database in memory. */
  readonly folder: string | undefined
  readonly fsync: boolean
  readonly parameters: Readonly<Record<string, string>>
  /** Returns the packed folder that a new database begins with. If it returns `undefined`, `initdb` creates the folder. */
  readonly initialData: () => Uint8Array | undefined
}

export interface Engine {
  /** Runs complete protocol messages, and returns the response. */
  readonly execute: (messages: Uint8Array) => Promise<Buffer>
  readonly isInTransaction: () => boolean
  readonly close: () => Promise<void>
}

/** Only a new process can open the folder again. */
export class EngineCrashed extends Error {
  override readonly name = "EngineCrashed"
}

const completeName = "pgdata"
const unfinishedName = "pgdata.unfinished"

export const startEngine = async (options: EngineOptions): Promise<Engine> => {
  const { folder } = options
  if (folder === undefined) return open(undefined, options)
  const complete = Path.join(folder, completeName)
  if (!Fs.existsSync(complete)) await create(folder, complete, options)
  return open(complete, options)
}

const create = async (folder: string, complete: string, options: EngineOptions): Promise<void> => {
  const unfinished = Path.join(folder, unfinishedName)
  Fs.rmSync(unfinished, { recursive: true, force: true })
  Fs.mkdirSync(unfinished, { mode: 0o700 })
  const packed = options.initialData()
  if (packed === undefined) {
    // The folder need not be on the disk before it is complete.
    const engine = await open(unfinished, { ...options, fsync: false })
    await engine.close()
  } else unpack(packed, unfinished)
  if (options.fsync) syncTree(unfinished)
  Fs.renameSync(unfinished, complete)
  if (options.fsync) syncFile(folder)
}

const open = async (dataDir: string | undefined, options: EngineOptions): Promise<Engine> => {
  const { PGlite } = await import("@electric-sql/pglite")
  const { NodeFS } = await import("@electric-sql/pglite/nodefs")
  const fsync = options.fsync && dataDir !== undefined
  const startParams = [
    ...PGlite.defaultStartParams.filter((argument) => argument !== "-F" || !fsync),
    // PGlite's file system has no fdatasync, PostgreSQL's default on other systems.
    ...(fsync ? ["-c", "wal_sync_method=fsync"] : []),
    ...Object.entries(options.parameters).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]
  const fs = dataDir === undefined ? undefined : new NodeFS(dataDir)
  if (fs !== undefined && fsync) {
    const init = fs.init.bind(fs)
    // Set before the start, so that it also applies to crash recovery.
    fs.init = async (pg, given) => {
      const { emscriptenOpts } = await init(pg, given)
      const preRun = [...(emscriptenOpts.preRun ?? []), syncOnRequest]
      return { emscriptenOpts: { ...emscriptenOpts, preRun } }
    }
  }
  const db = await PGlite.create(fs === undefined ? { startParams } : { fs, startParams })
  const crash = watchForCrash(db)
  return {
    execute: async (messages) => {
      if (crash.error !== undefined) throw crash.error
      const pieces: Array<Uint8Array> = []
      try {
        // Not `execProtocolRaw`, which keeps every response for a caller of `execProtocol`.
        await db.execProtocolRawStream(messages, {
          syncToFs: false,
          onRawData: (bytes) => void pieces.push(bytes.slice()),
        })
      } catch (error) {
        throw crash.error ?? error
      }
      // A response that PostgreSQL sent while it crashed is invalid.
      if (crash.error !== undefined) throw crash.error
      return Buffer.concat(pieces)
    },
    isInTransaction: () => db.isInTransaction(),
    close: async () => {
      if (crash.error === undefined) await db.close()
    },
  }
}

/**
 * Makes PostgreSQL's `fsync` reach the disk. Emscripten's node file system passes on every other call and looks
 * for this one, but does not implement it.
 */
const syncOnRequest = (module: { readonly NODEFS: object }): void => {
  const nodeFs = module.NODEFS
  if (
    !("stream_ops" in nodeFs && "tryFSOperation" in nodeFs) ||
    typeof nodeFs.stream_ops !== "object" ||
    nodeFs.stream_ops === null ||
    typeof nodeFs.tryFSOperation !== "function"
  ) {
    throw new Error("This version of PGlite has a file system that cannot be told to fsync")
  }
  const { tryFSOperation } = nodeFs
  Object.assign(nodeFs.stream_ops, {
    // `tryFSOperation` converts Node's error into the number that PostgreSQL expects.
    fsync: (stream: { readonly nfd: number }) =>
      tryFSOperation(() => {
        Fs.fsyncSync(stream.nfd)
        return 0
      }),
  })
}

/** The exit status by which PGlite reports an ordinary SQL error, after which the engine remains usable. */
const sqlErrorStatus = 100

const watchForCrash = (db: PGlite) => {
  const crash: { error?: EngineCrashed } = {}
  const module = db.Module
  const { _PostgresMainLoopOnce, stackRestore } = module
  module._PostgresMainLoopOnce = () => {
    try {
      _PostgresMainLoopOnce()
    } catch (cause) {
      const isSqlError =
        cause instanceof Object && "status" in cause && cause.status === sqlErrorStatus
      if (!isSqlError)
        crash.error ??= new EngineCrashed("PostgreSQL crashed inside PGlite", { cause })
      throw cause
    }
  }
  // PGlite calls this first after an exception. Throwing here leaves its loop.
  module.stackRestore = (pointer) => {
    if (crash.error !== undefined) throw crash.error
    return stackRestore(pointer)
  }
  return crash
}

const syncTree = (folder: string): void => {
  for (const path of Fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    syncFile(Path.join(folder, path))
  }
  syncFile(folder)
}

const syncFile = (path: string): void => {
  // Windows cannot open a folder, and need not sync one.
  if (process.platform === "win32" && Fs.statSync(path).isDirectory()) return
  const descriptor = Fs.openSync(path, process.platform === "win32" ? "r+" : "r")
  try {
    Fs.fsyncSync(descriptor)
  } finally {
    Fs.closeSync(descriptor)
  }
}
