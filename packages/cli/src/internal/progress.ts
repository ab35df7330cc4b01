/**
 * The progress of long work, on the error output of a terminal. Other outputs get none.
 */
import { displayWidth } from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

const barWidth = 30

/** One line: the label, a bar if the total is known, and the counts. */
export const lineOf = (label: string, done: number, total: number | undefined): string => {
  const count = done.toLocaleString("en")
  if (total === undefined) return `${label}  ${count}`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * barWidth)
  const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`
  return `${label}  ${bar}  ${count} of ${total.toLocaleString("en")}`
}

export interface Progress {
  /** Shows what is done. */
  readonly show: (done: number, total?: number) => Effect.Effect<void>
}

/** Runs work that shows its progress, and removes the line at the end. */
export const withProgress = Effect.fnUntraced(function* <A, E, R>(
  label: string,
  work: (progress: Progress) => Effect.Effect<A, E, R>,
) {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stderrIsTerminal)) return yield* work({ show: () => Effect.void })
  let width = 0
  // A terminal that is gone must not end the work.
  const write = (text: string) =>
    Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
  const show = (done: number, total?: number) =>
    Effect.suspend(() => {
      const line = lineOf(label, done, total)
      const rest = " ".repeat(Math.max(0, width - displayWidth(line)))
      width = displayWidth(line)
      return write(`\r${line}${rest}`)
    })
  return yield* work({ show }).pipe(
    Effect.ensuring(Effect.suspend(() => write(width === 0 ? "" : `\r${" ".repeat(width)}\r`))),
  )
})
