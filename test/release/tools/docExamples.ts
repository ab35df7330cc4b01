/**
 * What has to be done with each code block of a document. No block is passed over: one that this
 * page does not know is a problem, and a problem is a failing test.
 */
import { type Block, blocksOf } from "./markdown.ts"

interface Runnable {
  readonly code: string
  readonly output: string | undefined
}

interface Shown {
  readonly path: string
  readonly code: string
}

export type Example = { readonly line: number } & (
  | /** `ts`: type-checked and run. One that `serves` is stopped once it has printed "ready". */
    ({ readonly kind: "program"; readonly serves: boolean } & Runnable)
  /** `sh`: run against a quickstart. */
  | ({ readonly kind: "shell" } & Runnable)
  /** `ts` or `tsx` under `<!-- file: PATH -->`: built and run, with the other files, by the test named after the document. */
  | ({ readonly kind: "file" } & Shown)
  /** `ts` under `<!-- from: PATH -->`: an example of a feature, which its own test runs. */
  | ({ readonly kind: "feature" } & Shown)
  /** `json`: parses. */
  | { readonly kind: "data"; readonly code: string }
  /** Done by the test of that name. */
  | { readonly kind: "covered"; readonly by: string }
  /** `text` under `<!-- output -->`, compared when the block above it runs, or under `<!-- diagram -->`. */
  | { readonly kind: "output" | "diagram" }
  | { readonly kind: "problem"; readonly message: string }
)

/** Where the examples in the documents expect the quickstart. */
export const documentedBase = "http://127.0.0.1:3000"

const coveredBy = (block: Block): string | undefined =>
  /^covered by: (.+)$/.exec(block.comment ?? "")?.[1]

const isOutput = (block: Block | undefined): block is Block =>
  block?.language === "text" && block.comment === "output"

/** Commands that fetch something or run what was fetched, which the block of a document cannot do in a test. */
const fetches = (line: string): boolean => /^(git clone |cd |npm install |npx )/.test(line.trim())

const commandsOf = (code: string): ReadonlyArray<string> =>
  code.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"))

const shellExample = (block: Block, output: string | undefined): Example => {
  const { line, code } = block
  const walk = /^walked by: (.+)$/.exec(block.comment ?? "")?.[1]
  if (walk !== undefined) return { kind: "covered", line, by: walk }
  const commands = commandsOf(code)
  const by = coveredBy(block)
  if (by !== undefined) {
    return commands.every(fetches)
      ? { kind: "covered", line, by }
      : {
          kind: "problem",
          line,
          message: "only git clone, cd, npm install and npx may be covered by a test",
        }
  }
  return commands.some((command) => /\b(git clone|npm install|npx)\b/.test(command))
    ? { kind: "problem", line, message: "say which test covers this: <!-- covered by: NAME -->" }
    : { kind: "shell", line, code, output }
}

const typescriptExample = ({ code, comment, line }: Block, output: string | undefined): Example => {
  const [, from, path = ""] = /^(file|from): (\S+)$/.exec(comment ?? "") ?? []
  return from === undefined
    ? { kind: "program", serves: comment === "serves", line, code, output }
    : { kind: from === "file" ? "file" : "feature", line, path, code }
}

interface Surroundings {
  readonly next: Block | undefined
  readonly previous: Block | undefined
}

const exampleOf = (block: Block, { next, previous }: Surroundings): Example => {
  const { line, code, comment, language } = block
  const output = isOutput(next) ? next.code : undefined
  switch (language) {
    case "ts":
      return typescriptExample(block, output)
    case "tsx":
      return comment?.startsWith("file: ") === true
        ? typescriptExample(block, output)
        : { kind: "problem", line, message: "tsx is a file: <!-- file: src/page.tsx -->" }
    case "sh":
      return shellExample(block, output)
    case "json":
      return { kind: "data", line, code }
    case "sql": {
      const by = coveredBy(block)
      return by === undefined
        ? {
            kind: "problem",
            line,
            message: "say which test covers this: <!-- covered by: NAME -->",
          }
        : { kind: "covered", line, by }
    }
    case "text":
      if (comment === "diagram") return { kind: "diagram", line }
      if (isOutput(block) && /^(ts|sh)$/.test(previous?.language ?? ""))
        return { kind: "output", line }
      return {
        kind: "problem",
        line,
        message:
          "text is the <!-- output --> of the ts or sh block above it, or a <!-- diagram -->",
      }
    default:
      return { kind: "problem", line, message: `no rule for a block of language "${language}"` }
  }
}

/** What has to be done with the blocks of a document. */
export const examplesOf = (markdown: string): ReadonlyArray<Example> => {
  const blocks = blocksOf(markdown)
  return blocks.map((block, index) =>
    block.isClosed
      ? exampleOf(block, { next: blocks[index + 1], previous: blocks[index - 1] })
      : { kind: "problem", line: block.line, message: "a fence that is never closed" },
  )
}

/** Whether a script runs the command line on a database. On a folder, each command would start one. */
export const isCommandLine = (code: string): boolean =>
  /^countersign /m.test(code) && !code.includes("--data-dir")

const namesService = (code: string): boolean =>
  /127\.0\.0\.1:3000|\b(COUNTERSIGN_KEY|BASE|INBOX)\b/.test(code)

export const needsService = (example: Example): boolean =>
  (example.kind === "shell" && (!isCommandLine(example.code) || namesService(example.code))) ||
  (example.kind === "program" && namesService(example.code))

/** Compares what came out with what the document shows, in which `…` stands for anything. */
export const matchesOutput = (shown: string, actual: string): boolean => {
  const tidy = (text: string): string =>
    text
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .trim()
  const pattern = tidy(shown).split("…").map(RegExp.escape).join("[^]*?")
  return new RegExp(`^${pattern}$`).test(tidy(actual))
}

/** Whether one of these test sources holds a test of that name. */
export const hasTest = (name: string, sources: ReadonlyArray<string>): boolean => {
  const title = RegExp.escape(JSON.stringify(name))
  return sources.some((source) =>
    new RegExp(`\\b(it|test|describe|effect|live)\\b[^"\\n]*\\(\\s*${title}`).test(source),
  )
}
