/**
 * What a TypeScript source imports and which globals it touches, read from its syntax tree.
 */
import { parseAst } from "vitest/node"

export interface Import {
  readonly specifier: string
  /** The names taken from the module; `undefined` when all of it is taken. */
  readonly names: ReadonlyArray<string> | undefined
  /** Gone when the types are. */
  readonly typeOnly: boolean
  readonly line: number
}

export interface Mention {
  /** As in `Date.now`, `new Date()`, `setTimeout`. */
  readonly text: string
  readonly line: number
}

export interface SourceFacts {
  readonly imports: ReadonlyArray<Import>
  readonly mentions: ReadonlyArray<Mention>
  /** Lines with an import whose target is only known when it runs. */
  readonly computedImports: ReadonlyArray<number>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  typeof value.type === "string" &&
  "start" in value &&
  typeof value.start === "number"

const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...childrenOf(node).flatMap(nodesOf)]

/** `a.process` and `{ process: 1 }` name a member, not the global of that name. */
const namesAMember = (parent: Node, child: Node): boolean =>
  parent["computed"] !== true && (child === parent["property"] || child === parent["key"])

const mentionsIn = (node: Node): ReadonlyArray<Node> => [
  node,
  ...childrenOf(node)
    .filter((child) => !namesAMember(node, child))
    .flatMap(mentionsIn),
]

const nodeAt = (node: Node, key: string): Node | undefined => {
  const child = node[key]
  return isNode(child) ? child : undefined
}

const literal = (node: Node | undefined): string | undefined => {
  const value = node?.["value"]
  return typeof value === "string" ? value : undefined
}

const nameOf = (node: Node | undefined): string | undefined => {
  const name = node?.["name"]
  return typeof name === "string" ? name : literal(node)
}

const identifier = (node: Node | undefined): string | undefined =>
  node?.type === "Identifier" ? nameOf(node) : undefined

/** The expression that names the module, when this node takes something from one. */
const moduleOf = (node: Node): Node | undefined => {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return nodeAt(node, "source")
    case "TSExternalModuleReference":
      return nodeAt(node, "expression")
    case "CallExpression":
      return identifier(nodeAt(node, "callee")) === "require"
        ? childrenOf(node).find((child) => child !== nodeAt(node, "callee"))
        : undefined
    default:
      return undefined
  }
}

const namesOf = (node: Node): ReadonlyArray<string> | undefined => {
  const specifiers = node["specifiers"]
  if (!Array.isArray(specifiers)) return undefined
  const names = specifiers
    .filter(isNode)
    .map((one) => nameOf(nodeAt(one, node.type === "ImportDeclaration" ? "imported" : "local")))
  return names.every((name) => name !== undefined) ? names : undefined
}

const isTypeOnly = (node: Node): boolean => {
  if (node.type === "TSImportType") return true
  if (node["importKind"] === "type" || node["exportKind"] === "type") return true
  const specifiers = Array.isArray(node["specifiers"]) ? node["specifiers"].filter(isNode) : []
  return (
    specifiers.length > 0 &&
    specifiers.every((one) => one["importKind"] === "type" || one["exportKind"] === "type")
  )
}

const mentionOf = (node: Node): string | undefined => {
  if (node.type === "Identifier") return nameOf(node)
  if (node.type === "NewExpression") {
    const callee = identifier(nodeAt(node, "callee"))
    const args = node["arguments"]
    return callee === undefined || !Array.isArray(args)
      ? undefined
      : `new ${callee}(${args.length === 0 ? "" : "…"})`
  }
  if (node.type !== "MemberExpression") return undefined
  const object = nodeAt(node, "object")
  // `globalThis.Date.now` is `Date.now` by a longer way.
  const owner = object?.type === "MemberExpression" ? nodeAt(object, "property") : object
  const property = nameOf(nodeAt(node, "property"))
  return owner === undefined || property === undefined ? undefined : `${nameOf(owner)}.${property}`
}

export const factsOf = (source: string): SourceFacts => {
  const lineOf = (node: Node): number => source.slice(0, node.start).split("\n").length
  const program: unknown = parseAst(source, { lang: "ts" })
  const nodes = isNode(program) ? nodesOf(program) : []
  const mentioning = isNode(program) ? mentionsIn(program) : []
  const taking = nodes.flatMap((node) => {
    const module = moduleOf(node)
    return module === undefined ? [] : [{ node, specifier: literal(module), line: lineOf(node) }]
  })
  return {
    imports: taking.flatMap(({ node, specifier, line }) =>
      specifier === undefined
        ? []
        : [{ specifier, names: namesOf(node), typeOnly: isTypeOnly(node), line }],
    ),
    mentions: mentioning.flatMap((node) => {
      const text = mentionOf(node)
      return text === undefined ? [] : [{ text, line: lineOf(node) }]
    }),
    computedImports: taking.flatMap(({ specifier, line }) =>
      specifier === undefined ? [line] : [],
    ),
  }
}
