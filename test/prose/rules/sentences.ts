/** A rule of textlint: the sentences of documents, and of the doc comments of packages, are short and plain. */
import { docParagraphs, problemsOf } from "../sentences.ts"

interface Node {
  readonly type: string
  readonly value?: string
  readonly children?: ReadonlyArray<Node>
}

interface Context {
  readonly RuleError: new (message: string, details?: { readonly padding: unknown }) => Error
  readonly getSource: (node: Node) => string
  readonly locator: { readonly at: (index: number) => unknown }
  readonly report: (node: Node, error: Error) => void
  readonly getFilePath: () => string | undefined
}

/** Records of campaigns and releases, which are not rewritten. */
const records = /\/(?:RESULTS|CHANGELOG)\.md$|\/\.changeset\//

const textOf = ({ children = [], type, value = "" }: Node): string => {
  switch (type) {
    case "Str":
      return value
    case "Code":
      return "Code"
    case "Break":
      return " "
    default:
      return children.map(textOf).join("")
  }
}

/** A list of only code spans or links is not a sentence. */
const isList = ({ children = [] }: Node): boolean =>
  children.every(
    ({ type, value = "" }) => type === "Code" || type === "Link" || /^[\s,]+$/.test(value),
  )

const sources = /\/packages\/[^/]+\/(?:src|app)\/.*\.tsx?$/

const rule = ({ RuleError, getFilePath, getSource, locator, report }: Context) => {
  const file = getFilePath() ?? ""
  if (sources.test(file)) {
    const Document = (node: Node): void => {
      for (const { index, text } of docParagraphs(getSource(node)))
        for (const problem of problemsOf(text))
          report(node, new RuleError(problem, { padding: locator.at(index) }))
    }
    return { Document }
  }
  if (!file.endsWith(".md") || records.test(file)) return {}
  const check = (node: Node): void => {
    if (isList(node)) return
    for (const problem of problemsOf(textOf(node))) report(node, new RuleError(problem))
  }
  return { Paragraph: check, TableCell: check }
}

export default rule
