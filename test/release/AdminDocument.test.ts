/**
 * The OpenAPI document of the admin API, as a linter reads it.
 */
import { AdminApi } from "@countersign/http/admin/AdminApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { assert, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { lint } from "../tools/redocly.ts"

const folder = temporaryFolder("countersign-admin-document-")

test("the OpenAPI document of the admin API passes the linter without a warning", async () => {
  const document = { ...OpenApi.fromApi(AdminApi), servers: [{ url: "/admin/api" }] }
  // Some answers are not JSON.
  const { problems, totals } = await lint(folder, JSON.stringify(document), ["response-mime-type"])
  assert.deepStrictEqual(problems, [])
  assert.deepStrictEqual(totals, { errors: 0, warnings: 0, ignored: 0 })
})
