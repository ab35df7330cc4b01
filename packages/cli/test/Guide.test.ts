/**
 * The reference lists what there is.
 */
import { command } from "@countersign/cli/Cli"
import { exitCodes } from "@countersign/cli/ExitCode"
import type * as Command from "effect/cli/Command"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, test } from "vitest"
import { variables } from "../src/internal/environment.ts"

const reference = readFileSync(join(import.meta.dirname, "../../../docs/reference/cli.md"), "utf8")

/** The paths of all commands that do something. */
const pathsOf = (self: Command.Command.Any, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const children = self.subcommands.flatMap(({ commands }) => commands)
  return children.length === 0
    ? [path.join(" ")]
    : children.flatMap((child) => pathsOf(child, [...path, child.name]))
}

/** The first cells of the table with this title. */
const cellsOf = (title: string): ReadonlyArray<string> => {
  const [, table = ""] = reference.split(new RegExp(`^\\| ${title} +\\|.*\\n\\| -+ .*\\n`, "m"))
  const [rows = ""] = table.split("\n\n")
  return rows
    .trim()
    .split("\n")
    .map((row) => row.split("|")[1]?.trim() ?? "")
}

test("the reference lists every exit code", () => {
  assert.deepStrictEqual(cellsOf("exit code").map(Number), [...Object.values(exitCodes), 130])
})

test("the reference lists every variable", () => {
  for (const name of [...Object.values(variables), "DATABASE_URL", "COUNTERSIGN_ORGANIZATION"]) {
    assert.include(cellsOf("variable"), `\`${name}\``)
  }
})

test("the page of alerts names commands that exist", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/operate/alerts.md"), "utf8")
  const named = [...page.matchAll(/`countersign ([a-z -]+?)(?: --[^`]*)?`/g)].map(
    ([, path]) => path,
  )
  assert.isAtLeast(named.length, 10)
  assert.includeMembers([...pathsOf(command, [])], named)
})
