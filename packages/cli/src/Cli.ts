/**
 * The command line of Countersign: its commands, and a function that runs them.
 *
 * It uses the services of the engine directly, over the database that the flags or the environment name. It starts
 * no background work except with `serve`, and only `serve` and `migrate` change the tables.
 */
import { Actor } from "@countersign/core/domain/values/Actor"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { exitCodes } from "./ExitCode.ts"
import { sender } from "./internal/commands/senders.ts"
import { configuration, serve } from "./internal/commands/serve.ts"
import { doctor } from "./internal/commands/doctor.ts"
import { gateways } from "./internal/commands/gateways.ts"
import { key } from "./internal/commands/keys.ts"
import { alerts } from "./internal/commands/alerts.ts"
import { limits } from "./internal/commands/limits.ts"
import { batches } from "./internal/commands/batches.ts"
import { messages, verification } from "./internal/commands/messages.ts"
import { migrate } from "./internal/commands/migrate.ts"
import { adjust, ledger, statement, topUp } from "./internal/commands/money.ts"
import { allow, org } from "./internal/commands/organizations.ts"
import { erase, exportNumber } from "./internal/commands/privacy.ts"
import { prune, secret, settle } from "./internal/commands/maintenance.ts"
import { audit, events, refusals } from "./internal/commands/records.ts"
import { webhook } from "./internal/commands/webhooks.ts"
import { defectReport, type Report, reportOf } from "./internal/failures.ts"
import { jsonOf, printableLines, withoutSecrets } from "./internal/printable.ts"
import { actor } from "./internal/session.ts"
import { globalFlags } from "./internal/settings.ts"

export { GivenStore } from "./internal/session.ts"

/** The services that the commands require. `NodeServices.layer` and `DateTime.layerCurrentZoneLocal` provide them. */
export type Requirements = Command.Environment | DateTime.CurrentTimeZone

const commands = [
  serve,
  configuration,
  migrate,
  org,
  key,
  sender,
  allow,
  limits,
  alerts,
  topUp,
  adjust,
  ledger,
  statement,
  messages,
  batches,
  verification,
  refusals,
  events,
  webhook,
  gateways,
  secret,
  settle,
  prune,
  erase,
  exportNumber,
  audit,
  doctor,
] as const

const names: ReadonlySet<string> = new Set(commands.map(({ name }) => name))

/** The flags without a value, of all commands. */
const flag =
  /^(?:--(?:help|version|json|yes|csv|sql|default|follow|enabled|all-types|dry-run|without-lookup|no-.+)|-[hvy])$/

/** Whether a word follows an option as its value: `--reason audit`. */
const isValue = (before: string | undefined): boolean =>
  before !== undefined && before.startsWith("-") && !before.includes("=") && !flag.test(before)

/** Options may stand before the command: they move behind it, where its own flags are read. */
const ordered = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.findIndex((arg, index) => names.has(arg) && !isValue(args[index - 1]))
  if (at < 1 || !args[0]?.startsWith("-")) return args
  const operands = args.indexOf("--", at)
  const end = operands === -1 ? args.length : operands
  return [...args.slice(at, end), ...args.slice(0, at), ...args.slice(end)]
}

const { version } = Schema.decodeSync(
  Schema.fromJsonString(Schema.Struct({ version: Schema.String })),
)(readFileSync(new URL("../package.json", import.meta.url), "utf8"))

/** All commands. */
export const command = Command.make("countersign").pipe(
  Command.withDescription(
    "Operate Countersign: organizations, keys, money, messages and maintenance",
  ),
  Command.withSubcommands(commands),
  Command.provideEffect(Actor, actor),
  Command.withGlobalFlags(globalFlags),
)

/**
 * Runs a command and returns its exit code. Prints results to the log of the `Console`, and errors to its error
 * output: as a JSON object with `--json`. Prints no password of a database URL.
 */
export const run = (args: ReadonlyArray<string>): Effect.Effect<number, never, Requirements> => {
  const isJson = args.includes("--json")
  return Command.runWith(command, { version })(ordered(args)).pipe(
    Effect.as<number>(exitCodes.done),
    Effect.catch((failure) =>
      CliError.isCliError(failure)
        ? Effect.succeed<number>(exitCodes.usage)
        : fail(reportOf(failure), isJson),
    ),
    Effect.catchDefect((defect) => fail(defectReport(defect), isJson)),
    Effect.provide([layerConfig, CliOutput.layerPresenter(presenter(isJson))]),
  )
}

const layerConfig = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  Logger.layer([Logger.withConsoleError(Logger.formatSimple)]),
  Layer.succeed(References.MinimumLogLevel, "Warn"),
  TerminalCapabilities.layer,
)

const fail = ({ exitCode, ...report }: Report, isJson: boolean) =>
  Effect.as(
    report.error === ""
      ? Effect.void
      : Console.error(
          withoutSecrets(isJson ? jsonOf(report) : `Error: ${printableLines(report.error)}`),
        ),
    exitCode,
  )

const textOf = (error: CliError.NonShowHelpErrors): string =>
  error._tag === "UnexpectedArgument"
    ? "Unexpected arguments. Quote a value that contains spaces."
    : printableLines(withoutSecrets(error.message))

const presenter = (isJson: boolean): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
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
