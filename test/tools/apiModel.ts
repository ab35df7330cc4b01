/**
 * What a package exports, read from its declarations. They are parsed by TypeScript 5, because the compiler
 * of this repository has no interface for programs yet.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import ts from "typescript-5"

export interface Member {
  /** With its `?` where it may be left out, and `static` where it belongs to the class. */
  readonly name: string
  readonly type: string
  readonly doc: string
}

/** One declaration. A name may have several: a type and its value, or the overloads of a function. */
export interface Part {
  readonly kind: "value" | "type" | "interface" | "class" | "service" | "error"
  readonly doc: string
  /** As in the declarations; of what has members, the head alone. `undefined` where that says no more than the name. */
  readonly signature: string | undefined
  readonly members: ReadonlyArray<Member>
}

export interface Entry {
  readonly name: string
  readonly parts: ReadonlyArray<Part>
}

/** What is imported by one name: a concept, or all of a package that has none. */
export interface Module {
  readonly specifier: string
  /** Whether the package's entry has it under a name, too. */
  readonly isConcept: boolean
  readonly doc: string
  readonly entries: ReadonlyArray<Entry>
}

/** Where declarations are, and the sources that they were made from. */
export interface Folders {
  readonly declarations: string
  readonly sources: string
}

const docOf = (comment: string): string => {
  const lines = comment
    .replace(/^\/\*\*/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.trim().replace(/^\* ?/, ""))
  const text = lines.join("\n").trim()
  // Examples in comments are fragments. Those in the documents run.
  const prose = text.split(/^@example\b/m)[0] ?? ""
  return prose
    .replaceAll(
      /^@module-kind pure$/gm,
      "It is pure: what it computes, it computes from its arguments.",
    )
    .replaceAll(/\{@link ([^}]+)\}/g, "`$1`")
    .trim()
}

/** The comment at the top of a source. Declarations lose it where they drop the import below it. */
const moduleDocOf = (source: string): string => {
  const text = existsSync(source) ? readFileSync(source, "utf8") : ""
  const comment = /^\/\*\*[^]*?\*\//.exec(text)?.[0] ?? ""
  return docOf(comment)
}

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ESNext, true)

const commentAbove = (node: ts.Node): string => {
  const text = node.getSourceFile().text
  const ranges = ts.getLeadingCommentRanges(text, node.pos) ?? []
  const last = ranges.map(({ end, pos }) => text.slice(pos, end)).at(-1) ?? ""
  return last.startsWith("/**") ? docOf(last) : ""
}

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

const isHidden = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
  )

const isStatic = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword)

/** One line of it, without the comments within. */
const inLine = (text: string): string =>
  text
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/;? \}/g, " }")
    .replaceAll(/\{ \}/g, "{}")
    .trim()

/** The names of modules that nobody outside can import say nothing to the reader. */
const internalNames = (file: ts.SourceFile): ReadonlyArray<string> =>
  file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
      return []
    const target = join(dirname(file.fileName), statement.moduleSpecifier.text)
    const bindings = statement.importClause?.namedBindings
    const hidden = statement.moduleSpecifier.text.startsWith(".") && target.includes("/internal/")
    return hidden && bindings !== undefined && ts.isNamespaceImport(bindings)
      ? [bindings.name.text]
      : []
  })

const textOf = (node: ts.Node): string =>
  internalNames(node.getSourceFile()).reduce(
    (text, name) => text.replaceAll(new RegExp(`\\b${name}\\.`, "g"), ""),
    node.getText(),
  )

/** Longest type of a member that is shown whole, in characters. */
const maxType = 300

const cut = (text: string): string =>
  text.length <= maxType ? text : `${text.slice(0, maxType).trimEnd()} …`

const memberOf = (node: ts.TypeElement | ts.ClassElement): Member | undefined => {
  if (isHidden(node) || ts.isConstructorDeclaration(node)) return undefined
  const doc = commentAbove(node)
  const name = node.name?.getText() ?? ""
  const prefix = isStatic(node) ? "static " : ""
  if (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) {
    const type = node.type ?? (ts.isPropertyDeclaration(node) ? node.initializer : undefined)
    return {
      name: `${prefix}${name}${node.questionToken === undefined ? "" : "?"}`,
      type: type === undefined ? "" : cut(inLine(textOf(type))),
      doc,
    }
  }
  if (ts.isGetAccessor(node)) return { name, type: inLine(node.type?.getText() ?? ""), doc }
  const text = inLine(textOf(node))
    .replace(/;$/, "")
    .replace(/^static /, "")
  return { name: `${prefix}${name}`, type: text, doc }
}

const membersOf = (nodes: ReadonlyArray<ts.TypeElement | ts.ClassElement>): ReadonlyArray<Member> =>
  nodes.flatMap((node) => {
    const member = memberOf(node)
    return member === undefined ? [] : [member]
  })

/** The first literal type within a type: the shape of a service, the fields of an error. */
const literalIn = (node: ts.Node): ts.TypeLiteralNode | undefined =>
  ts.isTypeLiteralNode(node) ? node : ts.forEachChild(node, literalIn)

const findType = (
  file: ts.SourceFile,
  name: string,
): ts.InterfaceDeclaration | ts.VariableDeclaration | undefined => {
  for (const statement of file.statements) {
    if (ts.isInterfaceDeclaration(statement) && statement.name.text === name) return statement
    if (!ts.isVariableStatement(statement)) continue
    const found = statement.declarationList.declarations.find((one) => one.name.getText() === name)
    if (found !== undefined) return found
  }
  return undefined
}

/** What stands before the members, where there is something beside the name. */
const headOf = (node: ts.InterfaceDeclaration | ts.ClassDeclaration): string | undefined => {
  const { heritageClauses = [], typeParameters = [] } = node
  const text = textOf(node)
  const says = heritageClauses.length > 0 || typeParameters.length > 0
  return says ? `${text.slice(0, text.search(/\{\s/))}{}` : undefined
}

/** What the compiler calls `X_base` is what `X` is: a service, or a class of a schema. */
const classOf = (node: ts.ClassDeclaration): Part => {
  const doc = commentAbove(node)
  const own = membersOf(node.members)
  const extended = node.heritageClauses?.[0]?.types[0]?.expression.getText() ?? ""
  const base = extended.endsWith("_base") ? findType(node.getSourceFile(), extended) : undefined
  const type = base !== undefined && ts.isVariableDeclaration(base) ? base.type : undefined
  if (type === undefined) {
    const kind = extended.endsWith("Error") ? "error" : "class"
    return { kind, doc, signature: headOf(node), members: own }
  }
  const text = textOf(type)
  const literal = literalIn(type)
  const members = [...(literal === undefined ? [] : membersOf([...literal.members])), ...own]
  const tag = /TaggedStruct<("[^"]+")/.exec(text)?.[1]
  const tagged = tag === undefined ? members : [{ name: "_tag", type: tag, doc: "" }, ...members]
  return {
    kind: text.includes("ServiceClass<")
      ? "service"
      : text.includes("YieldableError")
        ? "error"
        : "class",
    doc,
    // Of no interest: it is made by a function.
    signature: undefined,
    members: tagged,
  }
}

/** The members of an interface with what stands for its parameters put in. */
const applied = (
  { members, typeParameters }: ts.InterfaceDeclaration,
  values: ReadonlyArray<string>,
): ReadonlyArray<Member> =>
  membersOf([...members]).map((member) => ({
    ...member,
    type: [...(typeParameters ?? [])].reduce(
      (type, { name }, index) =>
        type.replaceAll(new RegExp(`\\b${name.text}\\b`, "g"), () => values[index] ?? name.text),
      member.type,
    ),
  }))

/** An interface that is not exported but extended by one that is belongs to what is said of it. */
const interfaceOf = (node: ts.InterfaceDeclaration): Part => {
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap(({ expression, typeArguments = [] }) => {
      const base = findType(node.getSourceFile(), expression.getText())
      return base !== undefined && ts.isInterfaceDeclaration(base) && !isExported(base)
        ? applied(base, typeArguments.map(textOf))
        : []
    }),
  )
  return {
    kind: "interface",
    doc: commentAbove(node),
    signature: headOf(node),
    members: [...bases, ...membersOf([...node.members])],
  }
}

/** Longest signature that is shown whole, in lines. Those that are inferred from a whole interface have hundreds. */
const maxLines = 40

const shortened = (text: string): string =>
  text.split("\n").length <= maxLines
    ? text
    : text.replace(/^((?:export )?declare const \w+: [\w.]+)<[^]*$/, "$1</* … */>")

interface Named {
  readonly name: string
  readonly part: Part
}

const declarationsOf = (node: ts.Statement): ReadonlyArray<Named> => {
  if (ts.isClassDeclaration(node)) return [{ name: node.name?.text ?? "", part: classOf(node) }]
  if (ts.isInterfaceDeclaration(node)) return [{ name: node.name.text, part: interfaceOf(node) }]
  const part = { doc: commentAbove(node), signature: shortened(textOf(node)), members: [] }
  if (ts.isTypeAliasDeclaration(node)) {
    return [{ name: node.name.text, part: { ...part, kind: "type" } }]
  }
  if (ts.isFunctionDeclaration(node)) {
    return [{ name: node.name?.text ?? "", part: { ...part, kind: "value" } }]
  }
  if (!ts.isVariableStatement(node)) return []
  return node.declarationList.declarations.map((one) => ({
    name: one.name.getText(),
    part: { ...part, kind: "value" },
  }))
}

/** What a re-export takes from where: all of it, or these. */
const reExported = (node: ts.ExportDeclaration, file: string): ReadonlyArray<Named> => {
  const { exportClause, moduleSpecifier } = node
  const from =
    moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ""
  const names =
    exportClause === undefined
      ? undefined
      : ts.isNamedExports(exportClause)
        ? exportClause.elements.map((one) => ({
            own: (one.propertyName ?? one.name).text,
            as: one.name.text,
          }))
        : []
  const target = from.startsWith(".") ? join(dirname(file), from.replace(/\.ts$/, ".d.ts")) : file
  const all =
    target === file
      ? localDeclarations(
          file,
          names?.map(({ own }) => own),
        )
      : namedIn(target)
  return names === undefined
    ? all
    : names.flatMap(({ as, own }) =>
        all.filter(({ name }) => name === own).map(({ part }) => ({ name: as, part })),
      )
}

/** Names that a module imports and hands on, or declares and exports later. */
const localDeclarations = (file: string, names: ReadonlyArray<string> = []): ReadonlyArray<Named> =>
  parse(file).statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement)) {
      return isExported(statement) ? [] : declarationsOf(statement)
    }
    const { importClause, moduleSpecifier } = statement
    const from = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ""
    const bindings = importClause?.namedBindings
    if (!from.startsWith(".") || bindings === undefined || !ts.isNamedImports(bindings)) return []
    const wanted = bindings.elements.filter(({ name }) => names.includes(name.text))
    if (wanted.length === 0) return []
    const all = namedIn(join(dirname(file), from.replace(/\.ts$/, ".d.ts")))
    return wanted.flatMap(({ name }) => all.filter((one) => one.name === name.text))
  })

/** All exports of a file, in its order. */
const namedIn = (file: string): ReadonlyArray<Named> =>
  parse(file).statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return reExported(statement, file)
    return isExported(statement) ? declarationsOf(statement) : []
  })

const moduleOf = (
  specifier: string,
  file: string,
  { declarations, sources }: Folders,
  isConcept = false,
): Module => {
  const source = join(sources, relative(declarations, file).replace(/\.d\.ts$/, ".ts"))
  const doc = moduleDocOf(source)
  const entries = Map.groupBy(namedIn(file), ({ name }) => name)
  return {
    specifier,
    isConcept,
    doc,
    entries: [...entries].map(([name, found]) => ({
      name,
      // Without imports above it, the first declaration seems to own the comment of the module.
      parts: found.map(({ part }) => (part.doc === doc ? { ...part, doc: "" } : part)),
    })),
  }
}

/** Entries beside that of the package: `countersign/gateways`. */
const furtherEntries = (declarations: string): ReadonlyArray<string> =>
  readdirSync(declarations)
    .filter((file) => /^[a-z]\w*\.d\.ts$/.test(file) && file !== "index.d.ts")
    .map((file) => file.slice(0, -".d.ts".length))
    .toSorted()

/** One module for each concept of a package's entry, or one for each entry where there is none. */
export const modulesOf = (packageName: string, folders: Folders): ReadonlyArray<Module> => {
  const index = join(folders.declarations, "index.d.ts")
  const concepts = [
    ...readFileSync(index, "utf8").matchAll(/^export \* as \w+ from "\.\/(.+)\.\w+"/gm),
  ]
  return concepts.length === 0
    ? [
        moduleOf(packageName, index, folders),
        ...furtherEntries(folders.declarations).map((name) =>
          moduleOf(`${packageName}/${name}`, join(folders.declarations, `${name}.d.ts`), folders),
        ),
      ]
    : concepts.map(([, path = ""]) =>
        moduleOf(
          `${packageName}/${path}`,
          join(folders.declarations, `${path}.d.ts`),
          folders,
          true,
        ),
      )
}
