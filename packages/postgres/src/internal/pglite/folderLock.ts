/**
 * Allows one process at a time to open a data folder. PGlite does not detect a second process, and the two would
 * overwrite each other's pages.
 *
 * The kernel releases a file lock when a process ends, even by SIGKILL. A file with a process id or a socket could be
 * stale, and two starting processes could both take it over. Node has no call for file locks. SQLite, which is part of
 * Node, takes a file lock for every transaction: `fcntl` on Linux and macOS, `LockFileEx` on Windows. The lock is
 * therefore an exclusive transaction that stays open while the folder is in use.
 *
 * The process must not open the lock file by other means. Closing any descriptor of a file releases all `fcntl` locks
 * of the process on it. So the holder's id is in a separate file, which is only informative. On a network file system
 * the lock is as safe as the locks of that file system.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"

const lockName = "lock"
const holderName = "lock.holder"

/**
 * How long to wait for a lock that is taken, in milliseconds. Not zero: two processes that start at the same
 * time can each see the other's half of the lock, and both would fail.
 */
const waitMillis = 500

const sqliteBusy = 5

/** Another process, or another owner in this process, has the folder open. */
export class FolderInUse extends Error {
  /** The process that has the folder open; `undefined` if unknown. */
  readonly holder: number | undefined

  constructor(folder: string) {
    super(`The folder ${folder} is in use`)
    this.holder = readHolder(folder)
  }
}

/** Locks an existing folder, and returns how to release it. Rejects with `FolderInUse`, or if it cannot be locked at all. */
export const lockFolder = async (folder: string): Promise<() => void> => {
  // Imported on use, because it exists from Node 22.13 on, and a store on a server does not need it.
  const { DatabaseSync } = await import("node:sqlite")
  const database = new DatabaseSync(Path.join(folder, lockName), { timeout: waitMillis })
  try {
    database.exec("BEGIN EXCLUSIVE")
  } catch (error) {
    database.close()
    throw isBusy(error) ? new FolderInUse(folder) : error
  }
  writeHolder(folder)
  return () => {
    if (!database.isOpen) return
    Fs.rmSync(Path.join(folder, holderName), { force: true })
    database.close()
  }
}

/** Whether an error of SQLite says that the file is locked. Deno provides the message of the code, not the code. */
export const isBusy = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if ("errcode" in error && typeof error.errcode === "number") {
    return (error.errcode & 0xff) === sqliteBusy
  }
  return error.message === "database is locked"
}

/** Renames a complete file, so that a reader sees the old id or the new one, but never a part. */
const writeHolder = (folder: string): void => {
  const unfinished = Path.join(folder, `${holderName}.${process.pid}`)
  Fs.writeFileSync(unfinished, String(process.pid), { mode: 0o600 })
  Fs.renameSync(unfinished, Path.join(folder, holderName))
}

const readHolder = (folder: string): number | undefined => {
  try {
    const pid = Number(Fs.readFileSync(Path.join(folder, holderName), "utf8"))
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
