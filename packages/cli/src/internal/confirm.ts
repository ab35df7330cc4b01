/**
 * The question before a command that destroys something or costs money.
 */
import * as Prompt from "effect/cli/Prompt"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import { CommandFailed, UsageError } from "./failures.ts"
import { Yes } from "./settings.ts"

/** Asks, unless `--yes` answers. Fails if the answer is no, or if no terminal can answer. */
export const confirm = Effect.fnUntraced(function* (question: string) {
  if (yield* Yes) return
  const { canPrompt } = yield* TerminalCapabilities
  if (!canPrompt) {
    return yield* new UsageError({ message: `${question} No terminal can answer: give --yes.` })
  }
  const isConfirmed = yield* Prompt.Confirm({ message: question, initial: false })
  if (!isConfirmed) return yield* new CommandFailed({ message: "Nothing was done." })
})
