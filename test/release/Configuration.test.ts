/**
 * The files that GitHub and editors read keep to their schemas.
 */
import { Ajv2019 } from "ajv/dist/2019.js"
import draft7 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" }
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, test } from "vitest"
import { parse } from "yaml"
import { root } from "../tools/paths.ts"

const read = (file: string): string => readFileSync(join(root, file), "utf8")

const ajv = new Ajv2019({ allErrors: true, strict: false, validateFormats: false })
ajv.addMetaSchema(draft7)

const validatorOf = (name: string) =>
  ajv.compile(JSON.parse(read(`test/release/schemas/${name}.json`)))

const forms = globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: root }).filter(
  (file) => !file.endsWith("/config.yml"),
)

const files: ReadonlyArray<readonly [schema: string, files: ReadonlyArray<string>]> = [
  ["github-workflow", globSync(".github/workflows/*.yml", { cwd: root })],
  ["github-issue-forms", forms],
  ["github-issue-config", [".github/ISSUE_TEMPLATE/config.yml"]],
  ["dependabot-2.0", [".github/dependabot.yml"]],
  ["devcontainer", [".devcontainer/devcontainer.json"]],
]

describe.each(files)("%s", (schema, named) => {
  const validate = validatorOf(schema)

  test.each(named)("describes %s", (file) => {
    validate(parse(read(file)))
    assert.deepStrictEqual(validate.errors ?? [], [])
  })

  test("refuses a file with other contents", () => {
    assert.isFalse(validate({ jobs: 1, updates: 1, body: 1, blank_issues_enabled: 1, image: 1 }))
  })
})

describe.each(globSync(".github/workflows/*.yml", { cwd: root }))("%s", (file) => {
  const text = read(file)

  test("names each action by its commit", () => {
    const actions = [...text.matchAll(/uses: (.+)/g)].map(([, action = ""]) => action)
    for (const action of actions) assert.match(action, /^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d/)
  })

  test("grants no more than reading, but for a job that says so", () => {
    assert.match(text, /\n\npermissions:\n {2}contents: read\n\n/)
  })
})
