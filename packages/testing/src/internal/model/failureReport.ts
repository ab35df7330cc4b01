/**
 * The text of a model failure: the difference, the history, and the call that replays it.
 */
import * as Predicate from "effect/Predicate"
import * as fc from "fast-check"
import type { Action, Config } from "./scenario.ts"

/** Parameters that replay a history. */
export interface Replay {
  readonly seed: number
  readonly path: string
  readonly replayPath: string
  /** `undefined`: the default. */
  readonly maxCommands: number | undefined
}

/** Starts with a line break, because `historyOf` reads fast-check's text of a history line by line. */
export const actionText = ({ tag, ...rest }: Action): string => `\n${tag} ${JSON.stringify(rest)}`

/** Extracts the played actions and the replay path from fast-check's text of a history. */
export const historyOf = (
  commands: Iterable<unknown>,
): { readonly actions: ReadonlyArray<string>; readonly replayPath: string } => {
  const text = String(commands)
  const [, replayPath = ""] = / \/\*replayPath="(.*)"\*\/$/.exec(text) ?? []
  const actions = text.replace(/ \/\*replayPath=.*$/, "").split(/,?\n/)
  return { actions: actions.slice(1), replayPath }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : fc.stringify(value))

/** Formats a list or a text as an indented block, one line per item or line of text. */
const block = (title: string, value: unknown): string => {
  const items: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  const lines = items.flatMap((item) => textOf(item).split("\n"))
  return [`${title}:`, ...(lines.length === 0 ? ["(none)"] : lines)].join("\n  ")
}

/** The kind of difference, and both sides if the error is an assertion; otherwise the whole error. */
const difference = (error: unknown): ReadonlyArray<string> => {
  const text = error instanceof Error ? (error.stack ?? error.message) : textOf(error)
  if (!Predicate.hasProperty(error, "expected") || !Predicate.hasProperty(error, "actual")) {
    return [`The engine or the store failed: ${text}`]
  }
  const [kind = text] = error instanceof Error ? error.message.split(": expected ") : []
  return [
    `Engine and model differ: ${kind}`,
    block("expected", error.expected),
    block("actual", error.actual),
  ]
}

const replayLine = ({ maxCommands, path, replayPath, seed }: Replay): string => {
  const [pathText, replayText] = [path, replayPath].map((text) => JSON.stringify(text))
  const bound = maxCommands === undefined ? "" : `, maxCommands: ${maxCommands}`
  return `Model.check({ layer, seed: ${seed}, path: ${pathText}, replayPath: ${replayText}${bound}, endOnFailure: true })`
}

export const failureReport = (
  error: unknown,
  setup: Config,
  actions: ReadonlyArray<string>,
  replay: Replay,
): string =>
  [
    ...difference(error),
    block(
      "history",
      actions.map((action, index) => `${index + 1}. ${action}`),
    ),
    block("setup", setup),
    block("replay", [
      `seed ${replay.seed}, path ${replay.path}, replay path ${replay.replayPath}`,
      replayLine(replay),
    ]),
  ].join("\n\n")
