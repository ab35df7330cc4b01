/**
 * The OpenAPI document of the login, as a linter reads it.
 */
import { LoginApi } from "@countersign/http/login/LoginApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { assert, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { lint } from "../tools/redocly.ts"

const folder = temporaryFolder("countersign-login-document-")

test("the OpenAPI document of the login passes the linter without a warning", async () => {
  const document = { ...OpenApi.fromApi(LoginApi), servers: [{ url: "/login" }] }
  const { problems, totals } = await lint(folder, JSON.stringify(document))
  assert.deepStrictEqual(problems, [])
  assert.deepStrictEqual(totals, { errors: 0, warnings: 0, ignored: 0 })
})
