/**
 * The OpenAPI document and its page for people.
 */
import { assert } from "@effect/vitest"
import { type ContractTest, proves, textAt } from "./support.ts"

export const openApi: ReadonlyArray<ContractTest> = [
  proves("docs: OpenAPI", "the document needs no key and is OpenAPI 3.1", async (contract) => {
    const response = await fetch(`${contract.baseUrl}/openapi.json`)
    assert.strictEqual(response.status, 200)
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
    const document: unknown = await response.json()
    assert.match(textAt(document, "openapi"), /^3\.1\.\d+$/)
    const url = textAt(document, "servers", 0, "url")
    assert.strictEqual(new URL(url, contract.baseUrl).href, contract.baseUrl)
  }),
  proves("docs: OpenAPI", "there is a page to read it, which needs no key", async (contract) => {
    const response = await fetch(`${contract.baseUrl}/docs`)
    assert.strictEqual(response.status, 200)
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/)
    assert.match(await response.text(), /<html|<!doctype html/i)
  }),
]
