/**
 * Ends this process with the package manager that has started it. `npx` passes no signal on, so the server would
 * stay on its port when the command has ended.
 */
import { readFileSync } from "node:fs"

const checkMillis = 500

/** Longest way up that is looked at. */
const maxDepth = 12

const isPackageManager = (command: string): boolean =>
  /(?:^|[\s/])p?np[mx](?:[\s@.-]|$)/.test(command)

/** The parent and the command of a process. `undefined` where the system has no `/proc`. */
const processAt = (
  pid: number,
): { readonly command: string; readonly parent: number } | undefined => {
  try {
    const [, parent = "0"] = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
    return { command, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** The ids of the package managers among the parents of this process. */
const packageManagers = (): ReadonlyArray<number> => {
  const found: Array<number> = []
  let pid = process.ppid
  for (let depth = 0; depth < maxDepth && pid > 1; depth++) {
    const one = processAt(pid)
    if (one === undefined) break
    if (isPackageManager(one.command)) found.push(pid)
    pid = one.parent
  }
  return found
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Sends SIGTERM to this process when one of them has ended. Does nothing without one. */
export const endWithPackageManager = (): void => {
  const pids = packageManagers()
  if (pids.length === 0) return
  const timer = setInterval(() => {
    if (pids.every(isRunning)) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, checkMillis)
  timer.unref()
}
