/**
 * The OpenAPI document of the admin API, as a linter reads it.
 */
import { AdminApi } from "@countersign/http/admin/AdminApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, test } from "vitest"
import { at } from "../support/Quickstart.ts"
import { root } from "../tools/paths.ts"
import { run } from "../tools/run.ts"

const folder = mkdtempSync(join(tmpdir(), "countersign-admin-document-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** The rules that do not fit this API: those of the HTTP interface, and answers that are not JSON. */
const unfit = [
  "info-contact",
  "operation-4xx-problem-details-rfc7807",
  "path-http-verbs-order",
  "path-segment-plural",
  "required-string-property-missing-min-length",
  "response-mime-type",
  "scalar-property-missing-example",
  "tags-alphabetical",
]

test("the OpenAPI document of the admin API passes the linter without a warning", async () => {
  const rules = Object.fromEntries(unfit.map((rule) => [rule, "off"]))
  const document = { ...OpenApi.fromApi(AdminApi), servers: [{ url: "/admin/api" }] }
  writeFileSync(join(folder, "redocly.yaml"), JSON.stringify({ extends: ["all"], rules }))
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document))
  const linter = join(root, "test/release/node_modules/@redocly/cli/bin/cli.js")
  const { code, stderr, stdout } = await run(
    process.execPath,
    [linter, "lint", "openapi.json", "--format=json"],
    {
      cwd: folder,
      env: {
        CI: "true",
        REDOCLY_SUPPRESS_NOTIFICATIONS: "true",
        REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
        REDOCLY_TELEMETRY: "off",
      },
      timeoutMillis: 60_000,
    },
  )
  assert.deepStrictEqual(at(JSON.parse(stdout), "problems"), [], stderr)
  assert.strictEqual(code, 0, stderr)
})
