/**
 * The methods of the promise API as a table, from the documentation of their interfaces.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./paths.ts"
import { markdownTable } from "./markdownTable.ts"

const own = "packages/countersign/src/internal/types"
const generated = "packages/core/src/api/types"

const sources = [
  `${own}/services.ts`,
  `${own}/countersign.ts`,
  ...readdirSync(join(root, generated)).map((name) => `${generated}/${name}`),
].map((file) => readFileSync(join(root, file), "utf8"))

interface Member {
  readonly name: string
  readonly type: string
  readonly about: string
}

/** The members of an interface. Its methods have their documentation in a comment. */
const membersOf = (name: string): ReadonlyArray<Member> => {
  const body = sources
    .map((text) => new RegExp(`^export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(text))
    .find((found) => found !== null)?.[1]
  const members = (body ?? "").matchAll(/^ {2}\/\*\*(.*?)\*\/\s+readonly (\w+): (?:\w+\.)?(\S+)/gms)
  return [...members].map(([, comment = "", member = "", type = ""]) => ({
    name: member,
    type,
    about: comment.replaceAll(/\s*\n\s*\*\s?/g, " ").trim(),
  }))
}

const isMethod = ({ type }: Member): boolean => type.startsWith("(")

/** The first sentence. */
const summaryOf = ({ about }: Member): string => /^.*?\.(?= |$)/.exec(about)?.[0] ?? about

const rowOf = (prefix: string) => (member: Member) => [
  `\`${prefix}${member.name}\``,
  summaryOf(member),
]

const services = [...membersOf("OrganizationServices"), ...membersOf("Services")].filter(
  (member) => !isMethod(member),
)

const others = [...membersOf("Services"), ...membersOf("Countersign")].filter(isMethod)

export const methodTable: string = markdownTable([
  ["method", "what it does"],
  ...services.flatMap(({ name, type }) =>
    membersOf(type)
      .filter(isMethod)
      .map(rowOf(`${name}.`)),
  ),
  ...membersOf("GatewayStates").map(rowOf("gateways.")),
  ...others.map(rowOf("")),
])
