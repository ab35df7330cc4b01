/** Prints help, and what is wrong with an invocation. Repeats no argument that may be a secret. */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { jsonOf, printableLines, withoutSecrets } from "./printable.ts"

const textOf = (error: CliError.NonShowHelpErrors): string =>
  error._tag === "UnexpectedArgument"
    ? "Unexpected arguments. Quote a value that contains spaces."
    : printableLines(withoutSecrets(error.message))

export const presenter = (isJson: boolean): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    const { canColor } = yield* TerminalCapabilities
    const formatter = CliOutput.defaultFormatter({ colors: canColor })
    switch (event._tag) {
      case "Help":
        return yield* Console.log(formatter.formatHelpDoc(event.helpDoc))
      case "Version":
        return yield* Console.log(event.version)
      case "InvalidInvocation":
        if (isJson) {
          const error = event.errors.map(textOf).join("\n")
          return yield* Console.error(jsonOf({ error, code: "usage" }))
        }
        yield* Console.error(event.errors.map((error) => `Error: ${textOf(error)}`).join("\n"))
        return yield* Console.error(`See: ${event.commandPath.join(" ")} --help`)
    }
  }),
})
