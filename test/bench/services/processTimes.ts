/**
 * The processor time and the memory of processes, from `/proc` of Linux. Unknown on other systems.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"

/** Milliseconds in one tick of `/proc`: USER_HZ is 100 on every architecture of Linux. */
const tickMillis = 10

/** One process, in ticks. */
export interface ProcessTimes {
  readonly parent: number
  readonly own: number
  /** Of its ended children. */
  readonly ended: number
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const ticks = (fields: ReadonlyArray<string | undefined>): number =>
  fields.reduce((sum, field) => sum + Number(field ?? 0), 0)

const timesOf = (pid: number): ProcessTimes => {
  const text = textOf(`/proc/${pid}/stat`)
  // The fields after the name, which can contain any character.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return {
    parent: Number(fields[1]),
    own: ticks([fields[11], fields[12]]),
    ended: ticks([fields[13], fields[14]]),
  }
}

/** Returns the ticks of a process and its descendants, including those that have ended. */
export const familyTicks = (processes: ReadonlyMap<number, ProcessTimes>, root: number): number => {
  const children = Map.groupBy(processes.keys(), (pid) => processes.get(pid)?.parent)
  const sum = (pid: number): number => {
    const { ended = 0, own = 0 } = processes.get(pid) ?? {}
    return (children.get(pid) ?? []).reduce((total, child) => total + sum(child), own + ended)
  }
  return sum(root)
}

/**
 * Returns the ticks in which the processors worked for a process or for another virtual machine, from the text of
 * `/proc/stat`. Interrupts belong to no process.
 */
export const busyTicks = (stat: string): number => {
  const [, user, nice, system, , , , , steal] = stat.slice(0, stat.indexOf("\n")).split(/\s+/)
  return ticks([user, nice, system, steal])
}

/** Milliseconds of processor time of the threads of one process, exact to the nanosecond. */
export const processMillis = (pid: number): number => {
  const folder = `/proc/${pid}/task`
  const threads = existsSync(folder) ? readdirSync(folder) : []
  return threads.reduce((sum, thread) => {
    const [nanos] = textOf(`${folder}/${thread}/schedstat`).split(" ")
    return sum + Number(nanos) / 1e6
  }, 0)
}

/** The resident memory of one process. */
export const residentBytes = (pid: number): number =>
  1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1])

/** Milliseconds of processor time of a process and its descendants, including those that have ended. */
export const familyMillis = (pid: number): number => {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const processes = new Map(pids.map((name) => [Number(name), timesOf(Number(name))]))
  return tickMillis * familyTicks(processes, pid)
}

/** Milliseconds of processor time of all processes. */
export const busyMillis = (): number => tickMillis * busyTicks(textOf("/proc/stat"))
