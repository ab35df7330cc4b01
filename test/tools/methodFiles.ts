/**
 * The reference of the methods of the promise API, from the documentation and the types of their interfaces.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Barrel } from "./barrels.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers, markdownTable } from "./markdownTable.ts"
import { root } from "./paths.ts"

const own = "packages/countersign/src/internal/types"
const api = "packages/core/src/api"

/** Read when called: the types may have been written just before. */
const readSources = (): string =>
  [
    `${own}/services.ts`,
    `${own}/countersign.ts`,
    `${api}/PlainTypes.ts`,
    `${api}/Page.ts`,
    ...readdirSync(join(root, api, "types")).map((name) => `${api}/types/${name}`),
  ]
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n")

interface Member {
  readonly name: string
  readonly type: string
  readonly about: string
}

const inLine = (text: string): string => text.replaceAll(/\s*\n(?:\s*\*)?\s*/g, " ").trim()

const memberPattern =
  /^ {2}(?:\/\*\*((?:(?!\*\/).)*)\*\/\s+)?readonly (\w+)\??: (.*?)(?=^ {2}(?:\/\*\*|readonly )|$(?![^]))/gms

const membersIn = (body: string): ReadonlyArray<Member> =>
  [...body.matchAll(memberPattern)].map(([, about = "", name = "", type = ""]) => ({
    name,
    type: inLine(type),
    about: inLine(about),
  }))

/** The own and inherited members of an interface. */
const membersOf = (sources: string, name: string): ReadonlyArray<Member> => {
  const pattern = new RegExp(`interface ${name}\\b([^{]*)\\{(?:\\}|\\n(.*?)^\\})`, "ms")
  const [, head = "", body = ""] = pattern.exec(sources) ?? []
  const [, bases = ""] = /extends (.*)/s.exec(head.replaceAll(/<[^>]*>/g, "")) ?? []
  return [
    ...[...bases.matchAll(/\b[A-Z]\w+/g)].flatMap(([one]) => membersOf(sources, one)),
    ...membersIn(body),
  ]
}

/** The first sentence. */
const summaryOf = ({ about }: Member): string => /^.*?\.(?= |$)/.exec(about)?.[0] ?? about

const errorsOf = ({ about }: Member): string => /Errors: (.*?)\./.exec(about)?.[1] ?? ""

const isMethod = ({ type }: Member): boolean => type.startsWith("(")

const withoutEmpty = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<ReadonlyArray<string>> =>
  rows.map((row) => row.filter((_, column) => rows.slice(1).some((one) => one[column] !== "")))

const sectionOf = (title: string, members: ReadonlyArray<Member>): string =>
  `## ${title}\n\n${markdownTable(
    withoutEmpty([
      ["method", "what it does", "errors"],
      ...members
        .filter(isMethod)
        .map((member) => [`\`${member.name}\``, summaryOf(member), errorsOf(member)]),
    ]),
  )}`

const methods = (): string => {
  const sources = readSources()
  const all = [...membersOf(sources, "Services"), ...membersOf(sources, "Countersign")]
  const services = [
    ...new Map(
      all.filter((member) => !isMethod(member)).map((member) => [member.name, member]),
    ).values(),
  ].map(({ name, type }) => [name, membersOf(sources, type.replace("Operations.", ""))] as const)
  const others = new Map(all.filter(isMethod).map((member) => [member.name, member]))
  return [
    ...services
      .filter(([name, members]) => name !== "callbacks" && members.some(isMethod))
      .map(([name, members]) => sectionOf(name, members)),
    sectionOf("The engine", [...others.values()]),
  ].join("\n\n")
}

export const readMethodFiles = (): ReadonlyArray<Barrel> => [
  generatedFile("docs/reference/methods.md", (text) => betweenMarkers("methods", text, methods())),
]
