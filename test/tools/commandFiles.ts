/** The reference of the command line: its commands with their flags. */
import * as Option from "effect/Option"
import type * as Command from "effect/cli/Command"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import { command } from "../../packages/cli/src/Cli.ts"
import type { Barrel } from "./barrels.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers, markdownTable } from "./markdownTable.ts"

const isHelp = (value: unknown): value is HelpDoc =>
  typeof value === "object" && value !== null && "flags" in value

/** The library has it on each command, and declares it for itself only. */
const helpOf = (self: Command.Command.Any): HelpDoc => {
  const build: unknown = Reflect.get(self, "buildHelpDoc")
  const help: unknown = typeof build === "function" ? build([self.name]) : undefined
  if (!isHelp(help)) throw new Error(`${self.name} has no help`)
  return help
}

/** Described above the table. */
const common = ["organization", "from", "to", "cursor", "limit"]

/** Longer lists of choices are in `--help`, and so are the values of other flags. */
const maxChoices = 4

const flagOf = ({ description, name }: FlagDoc): string => {
  const about = Option.getOrElse(description, () => "")
  const choices = /\(choices: (.*)\)/.exec(about)?.[1]?.split(", ") ?? []
  const isShort = choices.length > 0 && choices.length <= maxChoices
  const value = isShort ? ` ${choices.join("|")}` : ""
  const repeat = /repeatable/i.test(about) ? "…" : ""
  return `\`--${name}${value}${repeat}\``
}

const rowsIn = (
  self: Command.Command.Any,
  path: ReadonlyArray<string>,
): ReadonlyArray<ReadonlyArray<string>> => {
  const children = self.subcommands.flatMap(({ commands }) => commands)
  if (children.length > 0) return children.flatMap((one) => rowsIn(one, [...path, one.name]))
  const { args = [], flags } = helpOf(self)
  return [
    [
      `\`${[...path, ...args.map(({ name }) => name.toUpperCase())].join(" ")}\``,
      self.shortDescription ?? self.description ?? "",
      flags
        .filter(({ name }) => !common.includes(name))
        .map(flagOf)
        .join(", "),
    ],
  ]
}

export const readCommandFiles = (): ReadonlyArray<Barrel> => [
  generatedFile("docs/reference/cli.md", (text) =>
    betweenMarkers(
      "commands",
      text,
      markdownTable([["command", "what it does", "flags"], ...rowsIn(command, [])]),
    ),
  ),
]
