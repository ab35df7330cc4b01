/**
 * A turn that only one process at a time has.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { root } from "./paths.ts"

/** Longest wait for a turn, in milliseconds. */
const timeout = 300_000

/**
 * Waits, and lets nothing else happen in this process meanwhile, until no other process is within `body`
 * of the same name. The operating system holds the lock, so it ends with its process in every case.
 */
export const exclusively = async <A>(name: string, body: () => Promise<A>): Promise<A> => {
  const folder = join(root, "node_modules/.cache")
  mkdirSync(folder, { recursive: true })
  const lock = new DatabaseSync(join(folder, `${name}.lock`), { timeout })
  lock.exec("BEGIN EXCLUSIVE")
  try {
    return await body()
  } finally {
    lock.close()
  }
}
