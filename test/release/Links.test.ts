/**
 * Links between the documents lead to a file that exists, and to a heading in it.
 */
import { writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { assert, beforeAll, describe, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { root } from "../tools/paths.ts"
import { run } from "../tools/run.ts"

const configured = [
  "--frail",
  "--no-stdout",
  "--no-color",
  "--rc-path",
  "test/release/.remarkrc.json",
]

test("every document has working links", async () => {
  const { code, stderr } = await run("remark", [".", "--ignore-path", ".gitignore", ...configured])
  assert.strictEqual(code, 0, stderr)
  for (const file of [
    "README.md",
    "docs/reference/http.md",
    "packages/core/README.md",
    "test/bench/RESULTS.md",
  ]) {
    assert.include(stderr, `${file}: no issues found`)
  }
})

const headings = "# Send a code: `POST /verify`\n\n## A & B\n\n## Same\n\n## Same\n"

const broken = [
  ["[a](none.md)", "Cannot find file `none.md`"],
  ["![a](none.svg)", "Cannot find file `none.svg`"],
  ["[a][b]\n\n[b]: none.md", "Cannot find file `none.md`"],
  ["| [a](none.md) |\n| --- |", "Cannot find file `none.md`"],
  ["[a](../../../none.md)", "Cannot find file `../../../none.md`"],
  ["[a](#none)", "Cannot find heading for `#none`"],
  ["[a](other.md#none)", "Cannot find heading for `#none` in `other.md`"],
  ["[a](data.json#none)", "Cannot find heading for `#none` in `data.json`"],
] as const

const working = [
  "[a](https://example.com/nowhere)",
  "[a](mailto:support@example.com)",
  "[a](data.json)",
  "[a](.)",
  "[a](other.md#send-a-code-post-verify)",
  "[a](other.md#a--b)",
  "[a](other.md#same-1)",
  "# Here\n\n[a](#here)",
  "`[a](none.md)`",
  "```ts\nconst a = list[0](none.md)\n```",
  "<!-- [a](none.md) -->",
]

describe("a link", () => {
  const folder = temporaryFolder(".fixture-links-", join(root, "test"))
  const document = (index: number): string => join(folder, `${index}.md`)
  const texts = [...broken.map(([text]) => text), ...working]
  let output = ""

  beforeAll(async () => {
    writeFileSync(join(folder, "other.md"), headings)
    writeFileSync(join(folder, "data.json"), "{}")
    for (const [index, text] of texts.entries()) writeFileSync(document(index), `${text}\n`)
    const files = ["other.md", ...texts.keys().map((index) => `${index}.md`)]
    const finished = await run("remark", [
      ...files.map((file) => join(relative(root, folder), file)),
      ...configured,
    ])
    output = finished.stderr
  })

  /** What remark reports on a document. */
  const reportOn = (index: number): string => {
    const name = relative(root, document(index))
    const start = output.indexOf(name)
    assert.notStrictEqual(start, -1, output)
    return output.slice(start + name.length).split("\n\n")[0] ?? ""
  }

  test.each(broken.map(([text, message], index) => [text, message, index] as const))(
    "fails: %j: %s",
    (_text, message, index) => {
      assert.include(reportOn(index), message)
    },
  )

  test.each(working.map((text, index) => [text, index + broken.length] as const))(
    "works: %j",
    (_text, index) => {
      assert.match(reportOn(index), /^: no issues found/)
    },
  )
})
