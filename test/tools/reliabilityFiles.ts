/**
 * The tables of `docs/explanation/{reliability,faults}.md`, and `test/soak/RESULTS.md`, from the totals that campaigns have saved.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type CampaignResult, decodeResult } from "../support/campaignResult.ts"
import type { Barrel } from "./barrels.ts"
import { campaigns } from "./campaignRows.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers, markdownTable } from "./markdownTable.ts"
import { root } from "./paths.ts"
import { faults, promises, type Row } from "./reliabilityRows.ts"

const results: ReadonlyMap<string, CampaignResult> = new Map(
  globSync("test/soak/results/*.json", { cwd: root })
    .toSorted()
    .map((file) => [basename(file, ".json"), decodeResult(readFileSync(join(root, file), "utf8"))]),
)

/** Whether a name is that of a campaign, or of a member of a family. */
const isOf = (name: string, campaign: string): boolean =>
  campaign.endsWith("-") ? name.startsWith(campaign) : name === campaign

/** All campaigns, those without a row last. A family stands for itself until a member of it has run. */
const allNames: ReadonlyArray<string> = [
  ...campaigns.flatMap(({ name }) => {
    const members = [...results.keys()].filter((result) => isOf(result, name))
    return members.length === 0 ? [name] : members
  }),
  ...[...results.keys()].filter((result) => !campaigns.some(({ name }) => isOf(result, name))),
]

const rowOf = (name: string) => campaigns.find((row) => isOf(name, row.name))

const count = (value: number): string => value.toLocaleString("en-US")

/** A name without the end of a family. */
const shown = (name: string): string => name.replace(/-$/, "")

const trialsOf = (name: string): string => {
  const result = results.get(name)
  if (result === undefined) return "not run yet"
  return `${count(result.trials)} ${rowOf(name)?.trials ?? "trials"}`
}

const checkedName = (named: string): string => {
  if (!allNames.some((name) => isOf(name, named))) {
    throw new Error(`${named} is not in the table of campaigns`)
  }
  return shown(named)
}

const linksOf = ({ tests }: Row): string =>
  tests
    .map(([path, name]) => {
      if (!existsSync(join(root, path))) throw new Error(`There is no ${path}`)
      return `[${name}](../../${path})`
    })
    .join(", ")

const checksOf = (row: Row): string =>
  [linksOf(row), row.campaigns.map(checkedName).join(", ")].filter(Boolean).join("; ")

const table = (head: string, rows: ReadonlyArray<Row>): string =>
  markdownTable([
    ["", head, "checks; campaigns"],
    ...rows.map((row) => [row.ids, row.text, checksOf(row)]),
  ])

/** Files with several campaigns need the name of one, and a colon, because names begin alike. */
const commandOf = (name: string): string => {
  const { name: named = name, word = name } = rowOf(name) ?? {}
  const isAlone = campaigns.filter((row) => row.word === word).length < 2 && named === name
  const only = name.endsWith("-") ? name : `${name}:`
  return `pnpm test:soak ${word}${isAlone ? "" : ` -t ${only}`}`
}

const resultSection = ([name, { commit, counts, date, seconds }]: readonly [
  string,
  CampaignResult,
]): string =>
  [
    `## ${name}`,
    ...(rowOf(name) === undefined ? [] : [rowOf(name)?.what ?? ""]),
    `\`${commandOf(name)}\`: ${trialsOf(name)} in ${count(seconds)} seconds, until ${date}, on commit \`${commit.slice(0, 12)}\`.`,
    markdownTable([
      ["counted", "total"],
      ...Object.entries(counts).map(([what, total]) => [what, count(total)]),
    ]),
  ].join("\n\n")

const resultsPage = (): string =>
  `${[
    "# Results of the campaigns",
    "`pnpm codegen` writes this page from `test/soak/results`. [Reliability](../../docs/explanation/reliability.md) says what the campaigns show. A campaign saves its totals only while nothing has failed. `--count` and `--minutes` limit a run, and the next run of the same commit continues it.",
    ...[...results].map(resultSection),
  ].join("\n\n")}\n`

export const readReliabilityFiles = (): ReadonlyArray<Barrel> => [
  generatedFile("docs/explanation/reliability.md", (text) =>
    betweenMarkers("promises", text, table("what holds", promises)),
  ),
  generatedFile("docs/explanation/faults.md", (text) =>
    betweenMarkers("faults", text, table("what happens, and what holds", faults)),
  ),
  generatedFile("test/soak/RESULTS.md", resultsPage),
]
