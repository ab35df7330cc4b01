/**
 * One process at a time per data folder.
 *
 * PGlite does not notice a second process that opens the same folder; the two would overwrite each
 * other's pages. So the folder is locked, and the lock must never need repair: a holder killed with
 * SIGKILL must not keep the folder shut, and a new process must not take it from a living one.
 *
 * A file with a process id in it cannot do that: ids are reused, and between "that process is gone" and
 * "I take over" two starters can pass each other. A socket beside the folder has the same gap, since a
 * stale one has to be unlinked before it can be bound anew, and its path is limited to about 100 bytes.
 * What the kernel drops when a process ends is a file lock. Node has no call for one, but SQLite, which
 * is part of Node, takes one for every transaction: `fcntl` on Linux and macOS, `LockFileEx` on Windows.
 * An exclusive transaction that stays open for as long as the folder is in use is therefore the lock.
 * It has no stale state, and a second opening in the same process is refused as well.
 *
 * Two things follow. The lock file must not be opened by other means in this process: closing any
 * descriptor of a file drops all of the process's `fcntl` locks on it. That is why the holder's id is
 * in a file of its own; that file informs, it decides nothing. And, as with PostgreSQL itself, a folder
 * on a network file system is only as safe as that system's locks.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"

const lockName = "lock"
const holderName = "lock.holder"

/**
 * How long to wait for a lock that is taken, in milliseconds. Not zero: of two processes that start in
 * the same instant each can see the other's half of the lock, and neither would win.
 */
const waitMillis = 500

const sqliteBusy = 5

export interface Held {
  readonly _tag: "Held"
  readonly release: () => void
}

export interface InUse {
  readonly _tag: "InUse"
  /** The process that has the folder open, where it could be told. */
  readonly holder: number | undefined
}

/** Takes the lock of an existing folder. Rejects where the folder cannot be locked at all. */
export const lockFolder = async (folder: string): Promise<Held | InUse> => {
  // Imported late: it exists from Node 22.13 on, and a store on a server does not need it.
  const { DatabaseSync } = await import("node:sqlite")
  const database = new DatabaseSync(Path.join(folder, lockName), { timeout: waitMillis })
  try {
    database.exec("BEGIN EXCLUSIVE")
  } catch (error) {
    database.close()
    if (isBusy(error)) return { _tag: "InUse", holder: readHolder(folder) }
    throw error
  }
  writeHolder(folder)
  return {
    _tag: "Held",
    release: () => {
      if (!database.isOpen) return
      Fs.rmSync(Path.join(folder, holderName), { force: true })
      database.close()
    },
  }
}

/** Whether an error of SQLite says that the file is locked. Deno gives the message of the code, not the code. */
export const isBusy = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if ("errcode" in error && typeof error.errcode === "number") {
    return (error.errcode & 0xff) === sqliteBusy
  }
  return error.message === "database is locked"
}

/** By renaming, so that a reader sees the old id or the new one and never half of one. */
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
