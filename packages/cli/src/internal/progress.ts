/** The progress of long work, on the error output of a terminal. Other outputs, and scripts, get none. */
import { displayWidth } from "effect/cli/CliOutput"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { Json } from "./settings.ts"

const barWidth = 30
/** The part of a bar without a total that moves from end to end. */
const blockWidth = 6
const frameMillis = 100

export interface Progress {
  readonly done: number
  /** `undefined`: the end is not known. */
  readonly total?: number | undefined
  readonly unit: string
}

const cells = (before: number, filled: number): string =>
  "░".repeat(before) + "█".repeat(filled) + "░".repeat(barWidth - before - filled)

/** The place of the block, which goes forth and back. */
const placeAt = (elapsedMillis: number): number => {
  const free = barWidth - blockWidth
  const frame = Math.floor(elapsedMillis / frameMillis) % (2 * free)
  return frame < free ? frame : 2 * free - frame
}

/** One line: a bar up to the total, or else a bar that moves, the count and how much is done in a second. */
export const lineOf = (label: string, { done, total, unit }: Progress, elapsedMillis: number) => {
  const count = done.toLocaleString("en")
  if (total === undefined) {
    const rate = Math.round((done * 1_000) / Math.max(1_000, elapsedMillis)).toLocaleString("en")
    return `${label}  ${cells(placeAt(elapsedMillis), blockWidth)}  ${count} ${unit}, ${rate}/s`
  }
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const bar = cells(0, Math.round(share * barWidth))
  return `${label}  ${bar}  ${count} of ${total.toLocaleString("en")} ${unit}`
}

export interface ProgressLine {
  readonly show: (progress: Progress) => Effect.Effect<void>
  /** Removes the line until the next frame, so that results on the same terminal begin at the margin. */
  readonly hide: Effect.Effect<void>
}

const none: ProgressLine = { show: () => Effect.void, hide: Effect.void }

/** Runs work that shows its progress, and removes the line at the end. */
export const withProgress = Effect.fnUntraced(function* <A, E, R>(
  label: string,
  work: (line: ProgressLine) => Effect.Effect<A, E, R>,
) {
  const stdio = yield* Stdio.Stdio
  if ((yield* Json) || !(yield* stdio.stderrIsTerminal)) return yield* work(none)
  const begin = yield* Clock.currentTimeMillis
  let progress: Progress | undefined
  let shown = ""
  // A terminal that is gone must not end the work.
  const write = (text: string) =>
    Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
  const replace = (line: string) =>
    Effect.suspend(() => {
      const rest = " ".repeat(Math.max(0, displayWidth(shown) - displayWidth(line)))
      if (line === shown) return Effect.void
      shown = line
      return write(line === "" ? `\r${rest}\r` : `\r${line}${rest}`)
    })
  const draw = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    progress === undefined ? Effect.void : replace(lineOf(label, progress, now - begin)),
  )
  const show = (next: Progress) =>
    Effect.suspend(() => {
      progress = next
      return draw
    })
  const hide = Effect.suspend(() => {
    progress = undefined
    return replace("")
  })
  const frames = Effect.forever(Effect.andThen(Effect.sleep(frameMillis), draw))
  return yield* Effect.ensuring(Effect.raceFirst(work({ show, hide }), frames), hide)
})
