/**
 * Links between the documents lead somewhere: the file is there, and so is the heading.
 */
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "./tools/paths.ts"

const documents = globSync(["*.md", "{docs,examples,packages,test}/**/*.md"], {
  cwd: root,
  exclude: ["**/node_modules/**", "**/dist/**", "**/.*/**"],
}).toSorted()

/** Without fenced blocks and comments, in which nothing is a link. */
const prose = (markdown: string): string =>
  markdown
    .replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[^]*?\n)?[ \t]*\1[ \t]*$/gm, "")
    .replaceAll(/<!--[^]*?-->/g, "")

/** Code spans are looked past: they may stand in the text of a link, but no link stands in them. */
const withoutCode = (text: string): string => text.replaceAll(/(`+)[^`]*\1/g, "")

/** Where the links and pictures of a document lead. */
const targetsOf = (markdown: string): ReadonlyArray<string> => {
  const text = withoutCode(prose(markdown))
  const inline = text.matchAll(/\]\(\s*<?([^()\s>]+)>?[^()]*\)/g)
  const defined = text.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?/gm)
  return [...inline, ...defined].flatMap(([, target]) => target ?? [])
}

/** What GitHub calls a heading: lower case, words and hyphens, and a number from the second one on. */
const anchorsOf = (markdown: string): ReadonlySet<string> => {
  const text = prose(markdown)
  const anchors = new Set<string>()
  for (const [, heading = ""] of text.matchAll(/^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$/gm)) {
    const words = heading.replaceAll(/\]\([^)]*\)/g, "").toLowerCase()
    const anchor = words.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-")
    let unique = anchor
    for (let again = 1; anchors.has(unique); again++) unique = `${anchor}-${again}`
    anchors.add(unique)
  }
  for (const [, name] of text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) {
    if (name !== undefined) anchors.add(name)
  }
  return anchors
}

const isElsewhere = (target: string): boolean => /^([a-z][a-z\d+.-]*:|\/\/)/i.test(target)

/** What is wrong with a link of a document, if anything. */
const problemOf = (document: string, target: string): string | undefined => {
  if (isElsewhere(target)) return undefined
  if (target.startsWith("/")) return "begins at the root, which is another one for every reader"
  const [path = "", anchor] = target.split("#", 2)
  const file = path === "" ? document : join(dirname(document), decodeURIComponent(path))
  if (file.startsWith("..")) return "leads out of the repository"
  if (!existsSync(join(root, file))) return `there is no ${file}`
  if (anchor === undefined) return undefined
  if (!file.endsWith(".md") || statSync(join(root, file)).isDirectory()) {
    return "only a document has headings"
  }
  const anchors = anchorsOf(readFileSync(join(root, file), "utf8"))
  return anchors.has(decodeURIComponent(anchor)) ? undefined : `${file} has no heading #${anchor}`
}

describe("the links of", () => {
  it.each(documents)("%s lead somewhere", (document) => {
    const targets = targetsOf(readFileSync(join(root, document), "utf8"))
    const problems = targets.flatMap((target) => {
      const problem = problemOf(document, target)
      return problem === undefined ? [] : [`${target}: ${problem}`]
    })
    assert.deepStrictEqual(problems, [])
  })

  it("the readme are among them, and not a few", () => {
    assert.isAbove(targetsOf(readFileSync(join(root, "README.md"), "utf8")).length, 15)
  })
})

describe("a link is", () => {
  it.each([
    ["[text](a.md)", ["a.md"]],
    ["[text](a.md#b) and ![picture](c.svg)", ["a.md#b", "c.svg"]],
    ['[text](<a.md> "title")', ["a.md"]],
    ["[`code`](a.md)", ["a.md"]],
    ["| [one](a.md), [two](b.md) |", ["a.md", "b.md"]],
    ["[text][name]\n\n[name]: a.md", ["a.md"]],
    ["`[no](a.md)` and ``[no](`a.md`)``", []],
    ["```ts\nconst no = list[0](a.md)\n```\n\n[yes](b.md)", ["b.md"]],
    ["```ts\n```\n\n[yes](b.md)", ["b.md"]],
    ["<!-- [no](a.md) -->", []],
  ])("read from %j", (markdown, targets) => {
    assert.deepStrictEqual(targetsOf(markdown), targets)
  })
})

describe("a heading's anchor is", () => {
  it.each([
    ["# Send a code: `POST /verify`", ["send-a-code-post-verify"]],
    ["## One lock, one commit", ["one-lock-one-commit"]],
    ["## A & B", ["a--b"]],
    ["### The [log](a.md) #", ["the-log"]],
    ["# Same\n\n# Same", ["same", "same-1"]],
    ["# snake_case stays", ["snake_case-stays"]],
    ['<a id="here"></a>', ["here"]],
    ["```sh\n# no heading\n```", []],
  ])("read from %j", (markdown, anchors) => {
    assert.deepStrictEqual([...anchorsOf(markdown)], anchors)
  })
})

describe("a link fails", () => {
  it.each([
    ["README.md", "https://example.com/nowhere", undefined],
    ["README.md", "mailto:somebody@example.com", undefined],
    ["README.md", "LICENSE", undefined],
    ["README.md", "docs", undefined],
    ["README.md", "docs/service.md#retention", undefined],
    ["docs/service.md", "#retention", undefined],
    ["docs/service.md", "../README.md#over-http", undefined],
    ["README.md", "docs/nowhere.md", "there is no docs/nowhere.md"],
    ["README.md", "docs/service.md#nothing", "docs/service.md has no heading #nothing"],
    ["docs/service.md", "#nothing", "docs/service.md has no heading #nothing"],
    ["README.md", "LICENSE#top", "only a document has headings"],
    ["README.md", "../elsewhere", "leads out of the repository"],
    ["README.md", "/docs", "begins at the root, which is another one for every reader"],
  ])("from %s to %s: %s", (document, target, problem) => {
    assert.strictEqual(problemOf(document, target), problem)
  })
})
