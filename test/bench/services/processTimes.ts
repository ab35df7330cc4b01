/**
 * The processor time of a process, from `/proc` of Linux. Unknown on other systems.
 */
import { readdirSync, readFileSync } from "node:fs"

/** Milliseconds in one tick of `/proc/<pid>/stat`: USER_HZ is 100 on every architecture of Linux. */
const tickMillis = 10

/** The fields of `/proc/<pid>/stat` after the name, which can contain any character. */
const statOf = (pid: number | string): ReadonlyArray<string> => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}

const ticks = (fields: ReadonlyArray<string | undefined>): number =>
  fields.reduce((sum, field) => sum + Number(field ?? 0), 0)

/** Milliseconds of processor time of one process. */
export const processMillis = (pid: number): number => {
  const stat = statOf(pid)
  return tickMillis * ticks([stat[11], stat[12]])
}

/** Milliseconds of processor time of a process and its children, including ended children. */
export const familyMillis = (pid: number): number => {
  const stat = statOf(pid)
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((child) => child[1] === String(pid))
  return (
    tickMillis *
    children.reduce(
      (sum, child) => sum + ticks([child[11], child[12]]),
      ticks([stat[11], stat[12], stat[13], stat[14]]),
    )
  )
}
