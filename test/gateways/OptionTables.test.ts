/** The tables of options in the documents have the options and the variables of the vendors. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { root } from "../tools/paths.ts"

const read = (...path: ReadonlyArray<string>): string => readFileSync(join(root, ...path), "utf8")

const modules = join("packages", "gateways", "src")
const interfaces = read(modules, "VendorOptions.ts")

const found = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name)

/** The members of an interface, and of the one that it extends. */
const membersOf = (name: string): ReadonlyArray<string> => {
  const [, parent, body = ""] =
    new RegExp(
      String.raw`^export interface ${name}\b[^{]*?(?:extends (\w+) )?\{\n(.*?)^\}`,
      "ms",
    ).exec(interfaces) ?? []
  return [
    ...(parent === undefined ? [] : membersOf(parent)),
    ...found(body, /^ {2}readonly (\w+)/gm),
  ]
}

const vendors = readdirSync(join(root, modules))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ name: file.slice(0, -".ts".length), source: read(modules, file) }))
  // The variables of a description follow from its placeholders.
  .filter(({ name, source }) => source.includes("const layerConfig") && name !== "HttpGateway")
  .map(({ name, source }) => ({
    options: membersOf(`${name}Options`),
    variables: found(source, /"([A-Z]+(?:_[A-Z]+)+)"/g),
  }))

const sorted = (names: ReadonlyArray<string>) => [...new Set(names)].toSorted()

/** Options of every gateway, which one page has for all. */
const common = membersOf("CommonOptions")

const documents = readdirSync(join(root, "docs", "gateways"))
  .map((file) => {
    const table = /^\| option, variable .*?\n\n/ms.exec(read("docs", "gateways", file))?.[0] ?? ""
    const names = table.split("\n").flatMap((line) => found(line.split("|")[1] ?? "", /`(\w+)/g))
    const isVariable = (name: string): boolean => /^[A-Z]+_[A-Z_]+$/.test(name)
    const variables = names.filter(isVariable)
    const options = [...names.filter((name) => !isVariable(name)), ...common]
    return {
      file,
      options,
      variables,
      of: vendors.filter((one) => one.variables.some((name) => variables.includes(name))),
    }
  })
  .filter(({ of }) => of.length > 0)

it("every vendor has a table of its options", () => {
  assert.sameMembers(
    documents.flatMap(({ of }) => of),
    vendors,
  )
})

it.each(documents)("$file has every option and every variable", ({ of, options, variables }) => {
  assert.deepStrictEqual(sorted(options), sorted(of.flatMap((vendor) => vendor.options)))
  assert.deepStrictEqual(sorted(variables), sorted(of.flatMap((vendor) => vendor.variables)))
})
