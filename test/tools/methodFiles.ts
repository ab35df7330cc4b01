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
  /** Ends with `?` if it is optional. */
  readonly label: string
  readonly type: string
  readonly about: string
}

const inLine = (text: string): string => text.replaceAll(/\s*\n(?:\s*\*)?\s*/g, " ").trim()

const memberPattern =
  /^ {2}(?:\/\*\*((?:(?!\*\/).)*)\*\/\s+)?readonly (\w+)(\??): (.*?)(?=^ {2}(?:\/\*\*|readonly )|$(?![^]))/gms

/** A parameter may be a function. */
const signaturePattern = /^\(((?:[^()]|\([^()]*\))*)\) => (.*)$/

const membersIn = (body: string): ReadonlyArray<Member> =>
  [...body.matchAll(memberPattern)].map(([, about = "", name = "", mark = "", type = ""]) => ({
    name,
    label: `\`${name}${mark}\``,
    type: inLine(type),
    about: inLine(about),
  }))

/** Described elsewhere on the page. */
const handles = ["AdminMount", "LoggedEvent", "OrganizationServices", "PersonalRecord", "Services"]

class Types {
  readonly #sources = readSources()
  /** The types that a table has named. */
  readonly named = new Set<string>()

  /** The own and inherited members of an interface, or those of the choices that a type has. */
  membersOf(name: string): ReadonlyArray<Member> {
    const [, choices] =
      new RegExp(`^export type ${name} =(.*?)(?=\\n\\n|$(?![^]))`, "ms").exec(this.#sources) ?? []
    if (choices !== undefined) return this.#membersOfChoices(choices)
    const pattern = new RegExp(`interface ${name}\\b([^{]*)\\{(?:\\}|\\n(.*?)^\\})`, "ms")
    const [, head = "", body = ""] = pattern.exec(this.#sources) ?? []
    const [, bases = ""] = /extends (.*)/s.exec(head.replaceAll(/<[^>]*>/g, "")) ?? []
    return [...this.#membersOfTypes(bases), ...membersIn(body)].filter(
      ({ type }) => !type.startsWith("never"),
    )
  }

  #membersOfTypes(text: string): ReadonlyArray<Member> {
    return [...text.matchAll(/\b[A-Z]\w+/g)].flatMap(([one]) => this.membersOf(one))
  }

  /** A member that only some of the choices have is optional. */
  #membersOfChoices(text: string): ReadonlyArray<Member> {
    const choices = text
      .split(text.includes("{") ? /^ {2}\| /m : / \| /)
      .filter((one) => one.trim() !== "")
    const found = choices.map((one) =>
      [
        ...membersIn(one.replaceAll(/[{;}]/g, "\n").replaceAll(/^\s*(?=readonly|\/\*\*)/gm, "  ")),
        ...this.#membersOfTypes(one.replaceAll(/\{.*?\}/gs, "")),
      ].filter(({ type }) => !type.startsWith("never")),
    )
    const isInAll = (name: string): boolean =>
      found.every((members) => members.some((member) => member.name === name))
    return [...new Map(found.flat().map((member) => [member.name, member])).values()].map(
      (member) => (isInAll(member.name) ? member : { ...member, label: `\`${member.name}?\`` }),
    )
  }

  /** What a method takes: the members of its input. */
  inputOf(signature: string): string {
    const [, text = ""] = signaturePattern.exec(signature) ?? []
    if (text === "") return "–"
    const [name = "", type = ""] = text.trim().split(/\??: (.*)/)
    const members = [...type.matchAll(/readonly (\w+\??):/g)].map(([, label]) => `\`${label}\``)
    const ofTypes = this.#membersOfTypes(type.replaceAll(/\{.*?\}/g, "")).map(({ label }) => label)
    const all = [...new Set([...ofTypes, ...members])]
    return name === "input" && all.length > 0 ? all.join(", ") : `\`${name}\``
  }

  /** What a method returns, with the names of the types that have members. */
  resultOf(signature: string): string {
    const [, , result = ""] = signaturePattern.exec(signature) ?? []
    const [, item, page] = /^PagePromise<([^,>]+)(?:, ([^>]+))?>/.exec(result) ?? []
    if (item !== undefined) {
      return `pages of ${this.#shown(item)}${page === undefined ? "" : ` (${this.#shown(page)})`}`
    }
    const [, settled = result] = /^Promise<(.*)>$/.exec(result) ?? []
    const [, listed] = /^ReadonlyArray<(.*)>$/.exec(settled) ?? []
    if (listed !== undefined) return `list of ${this.#shown(listed)}`
    const [, streamed] = /^AsyncIterable<(.*)>$/.exec(settled) ?? []
    if (streamed !== undefined) return `stream of ${this.#shown(streamed)}`
    return settled === "void" ? "–" : this.#shown(settled)
  }

  #shown(type: string): string {
    const name = type.replace(/^Operations\./, "")
    const isType = /^\w+$/.test(name) && !handles.includes(name)
    if (isType && this.membersOf(name).length > 0) this.named.add(name)
    return `\`${name}\``
  }
}

/** The first sentence. */
const summaryOf = ({ about }: Member): string => /^.*?\.(?= |$)/.exec(about)?.[0] ?? about

const errorsOf = ({ about }: Member): string => /Errors: (.*?)\./.exec(about)?.[1] ?? ""

const isMethod = ({ type }: Member): boolean => type.startsWith("(")

const withoutEmpty = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<ReadonlyArray<string>> =>
  rows.map((row) => row.filter((_, column) => rows.slice(1).some((one) => one[column] !== "")))

const sectionOf = (types: Types, title: string, members: ReadonlyArray<Member>): string =>
  `## ${title}\n\n${markdownTable(
    withoutEmpty([
      ["method", "what it does", "input", "result", "errors"],
      ...members
        .filter(isMethod)
        .map((member) => [
          `\`${member.name}\``,
          summaryOf(member),
          types.inputOf(member.type),
          types.resultOf(member.type),
          errorsOf(member),
        ]),
    ]),
  )}`

const methods = (): string => {
  const types = new Types()
  const all = [...types.membersOf("Services"), ...types.membersOf("Countersign")]
  const services = [
    ...new Map(
      all.filter((member) => !isMethod(member)).map((member) => [member.name, member]),
    ).values(),
  ].map(({ name, type }) => [name, types.membersOf(type.replace("Operations.", ""))] as const)
  const others = new Map(all.filter(isMethod).map((member) => [member.name, member]))
  const sections = [
    ...services
      .filter(([name, members]) => name !== "callbacks" && members.some(isMethod))
      .map(([name, members]) => sectionOf(types, name, members)),
    sectionOf(types, "The engine", [...others.values()]),
  ]
  const rows = [...types.named].toSorted().map((name) => [
    `\`${name}\``,
    types
      .membersOf(name)
      .map(({ label }) => label)
      .join(", "),
  ])
  return [...sections, `## Results\n\n${markdownTable([["type", "members"], ...rows])}`].join(
    "\n\n",
  )
}

export const readMethodFiles = (): ReadonlyArray<Barrel> => [
  generatedFile("docs/reference/methods.md", (text) => betweenMarkers("methods", text, methods())),
]
