/**
 * No package that is installed with ours has a known weakness. Registries without an endpoint for audits cannot say:
 * the check is then skipped with its reason, never passed.
 */
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import { assert, onTestFinished, test } from "vitest"
import { end, listen } from "../support/loopback.ts"
import { runPnpm } from "../tools/run.ts"

const Report = Schema.fromJsonString(
  Schema.Struct({
    advisories: Schema.Record(
      Schema.String,
      Schema.Struct({
        module_name: Schema.String,
        severity: Schema.String,
        title: Schema.String,
      }),
    ),
  }),
)

/** The known weaknesses of the dependencies in the lockfile, or why they cannot be known. */
const audit = async (registry?: string) => {
  const { code, stderr, stdout } = await runPnpm(["audit", "--prod", "--json"], {
    env: registry === undefined ? {} : { pnpm_config_registry: registry },
  })
  if (/ERR_PNPM_AUDIT_/.test(stderr)) return { missing: stderr.replaceAll(/[\s│×]+/g, " ").trim() }
  assert.oneOf(code, [0, 1], stderr)
  return Object.values(Schema.decodeSync(Report)(stdout).advisories).map(
    ({ module_name, severity, title }) => `${module_name}: ${severity}: ${title}`,
  )
}

/** A registry that answers a request for advisories in this way. */
const registry = async (status: number, body: object): Promise<string> => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
  })
  onTestFinished(() => end(server))
  return `http://127.0.0.1:${await listen(server)}/`
}

test("no dependency has a known weakness", async (context) => {
  const found = await audit()
  if ("missing" in found) {
    console.log(`The registry makes no audits: ${found.missing}`)
    return context.skip(found.missing)
  }
  assert.deepStrictEqual(found, [])
})

test("a weakness of a dependency is found", async () => {
  const advisory = {
    id: 1,
    url: "https://example.com/advisories/1",
    title: "a planted weakness",
    severity: "high",
    vulnerable_versions: "<999",
    cwe: [],
    cvss: { score: 7, vectorString: null },
  }
  const found = await audit(await registry(200, { "libphonenumber-js": [advisory] }))
  assert.deepStrictEqual(found, ["libphonenumber-js: high: a planted weakness"])
})

test("a registry that makes no audits leaves the check without a result", async () => {
  assert.property(await audit(await registry(405, {})), "missing")
})
