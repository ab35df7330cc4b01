/**
 * The tables of `docs/reliability.md`, and `test/soak/RESULTS.md`, from the totals that campaigns have saved.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type CampaignResult, decodeResult } from "../support/campaignResult.ts"
import type { Barrel } from "./barrels.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers, markdownTable } from "./markdownTable.ts"
import { root } from "./paths.ts"
import { campaigns, faults, promises, type Row } from "./reliabilityRows.ts"

const results: ReadonlyMap<string, CampaignResult> = new Map(
  globSync("test/soak/results/*.json", { cwd: root })
    .toSorted()
    .map((file) => [basename(file, ".json"), decodeResult(readFileSync(join(root, file), "utf8"))]),
)

const isOf = (name: string, campaign: string): boolean =>
  campaign.endsWith("-") ? name.startsWith(campaign) : name === campaign

/** The names of the campaigns that a row names, also of families without a result. */
const namesOf = (named: string): ReadonlyArray<string> => {
  const all = [...new Set([...campaigns.map(([name]) => name), ...results.keys()])]
  const found = all.filter((name) => isOf(name, named))
  if (found.length === 0) throw new Error(`${named} is not in the table of campaigns`)
  // A family stands for itself only as long as none of its members has run.
  return found.length > 1 ? found.filter((name) => !name.endsWith("-")) : found
}

const count = (value: number): string => value.toLocaleString("en-US")

const trialsOf = (name: string): string =>
  campaigns.find(([campaign]) => isOf(name, campaign))?.[1] ?? "trials"

const figureOf = (name: string): string => {
  const result = results.get(name)
  const shown = name.endsWith("-") ? name.slice(0, -1) : name
  return `${shown}: ${result === undefined ? "not run yet" : `${count(result.trials)} ${trialsOf(name)}`}`
}

const figuresOf = (row: Row): string =>
  [...new Set(row.campaigns.flatMap(namesOf))].map(figureOf).join("<br>")

const linksOf = ({ tests }: Row): string =>
  tests
    .map(([path, name]) => {
      if (!existsSync(join(root, path))) throw new Error(`There is no ${path}`)
      return `[${name}](../${path})`
    })
    .join(", ")

const table = (head: string, rows: ReadonlyArray<Row>): string =>
  markdownTable([
    ["", head, "in every run", "campaigns"],
    ...rows.map((row) => [row.ids, row.text, linksOf(row), figuresOf(row)]),
  ])

const commandOf = (name: string): string => `\`pnpm test:soak ${name.split("-")[0] ?? name}\``

const campaignTable = (): string => {
  const unlisted = [...results.keys()].filter(
    (name) => !campaigns.some(([campaign]) => isOf(name, campaign)),
  )
  const listed = campaigns.flatMap(([campaign, , what]) =>
    namesOf(campaign).map((name) => [name, what] as const),
  )
  return markdownTable([
    ["campaign", "what happens", "trials", "date", "command"],
    ...[...listed, ...unlisted.map((name) => [name, ""] as const)].map(([name, what]) => {
      const result = results.get(name)
      return [
        name.endsWith("-") ? name.slice(0, -1) : name,
        what,
        result === undefined ? "not run yet" : `${count(result.trials)} ${trialsOf(name)}`,
        result?.date ?? "",
        commandOf(name),
      ]
    }),
  ])
}

const resultSection = ([name, { commit, counts, date, seconds, trials }]: readonly [
  string,
  CampaignResult,
]): string =>
  [
    `## ${name}`,
    `${count(trials)} ${trialsOf(name)} in ${count(seconds)} seconds, until ${date}, on commit \`${commit.slice(0, 12)}\`.`,
    markdownTable([
      ["counted", "total"],
      ...Object.entries(counts).map(([what, total]) => [what, count(total)]),
    ]),
  ].join("\n\n")

const resultsPage = (): string =>
  `${[
    "# Results of the campaigns",
    "`pnpm codegen` writes this page from `test/soak/results`. [Reliability](../../docs/reliability.md) says what the campaigns show. A campaign saves its totals only while nothing has failed.",
    ...[...results].map(resultSection),
  ].join("\n\n")}\n`

export const readReliabilityFiles = (): ReadonlyArray<Barrel> => [
  generatedFile("docs/reliability.md", (text) =>
    betweenMarkers(
      "campaigns",
      betweenMarkers(
        "faults",
        betweenMarkers("promises", text, table("what holds", promises)),
        table("what happens, and what holds", faults),
      ),
      campaignTable(),
    ),
  ),
  generatedFile("test/soak/RESULTS.md", resultsPage),
]
