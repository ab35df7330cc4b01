/**
 * The guide lists what there is.
 */
import { command } from "@countersign/cli/Cli"
import { exitCodes } from "@countersign/cli/ExitCode"
import type * as Command from "effect/cli/Command"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, test } from "vitest"
import { variables } from "../src/internal/environment.ts"

const guide = readFileSync(
  join(import.meta.dirname, "../../../docs/guides/command-line.md"),
  "utf8",
)

/** The paths of all commands that do something. */
const pathsOf = (self: Command.Command.Any, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const children = self.subcommands.flatMap(({ commands }) => commands)
  return children.length === 0
    ? [path.join(" ")]
    : children.flatMap((child) => pathsOf(child, [...path, child.name]))
}

/** The first cells of the table with this title. */
const cellsOf = (title: string): ReadonlyArray<string> => {
  const [, table = ""] = guide.split(new RegExp(`^\\| ${title} +\\|.*\\n\\| -+ .*\\n`, "m"))
  const [rows = ""] = table.split("\n\n")
  return rows
    .trim()
    .split("\n")
    .map((row) => row.split("|")[1]?.trim() ?? "")
}

test("the guide lists every command, and no other", () => {
  const listed = cellsOf("command")
    .flatMap((cell) => cell.split(", "))
    .map((one) => one.replaceAll("`", "").replace(/ [A-Z=]+( [A-Z=]+)*$/, ""))
  assert.sameMembers(listed, [...pathsOf(command, [])])
})

test("the guide lists every exit code", () => {
  assert.deepStrictEqual(cellsOf("exit code").map(Number), [...Object.values(exitCodes), 130])
})

test("the guide lists every variable", () => {
  for (const name of [...Object.values(variables), "DATABASE_URL", "COUNTERSIGN_ORGANIZATION"]) {
    assert.include(cellsOf("variable"), `\`${name}\``)
  }
})
