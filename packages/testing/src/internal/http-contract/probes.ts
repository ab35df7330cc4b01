/**
 * The routes of balancers and of Prometheus.
 */
import { assert } from "@effect/vitest"
import { type ContractTest, proves } from "./support.ts"

const token = "a-token-that-only-tests-have"

const read = async (url: string, authorization?: string) => {
  const response = await fetch(
    url,
    authorization === undefined ? {} : { headers: { authorization } },
  )
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export const probes: ReadonlyArray<ContractTest> = [
  proves("docs: health and metrics", "health and readiness need no key", async ({ baseUrl }) => {
    const health = await read(`${baseUrl}/health`)
    assert.deepStrictEqual([health.status, health.text], [200, '{"status":"ok"}'])
    const ready = await read(`${baseUrl}/ready?by=balancer`)
    assert.deepStrictEqual([ready.status, ready.text], [200, '{"status":"ready"}'])
    assert.strictEqual(ready.headers.get("cache-control"), "no-store")
    const wrong = await fetch(`${baseUrl}/ready`, { method: "POST" })
    assert.deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"])
  }),
  proves("docs: health and metrics", "there are no metrics unless a token is set", async (test) => {
    assert.strictEqual((await read(`${test.baseUrl}/metrics`)).status, 404)
    const baseUrl = await test.subject.serve({ metrics: { token } })
    const without = await read(`${baseUrl}/metrics`)
    assert.deepStrictEqual(
      [without.status, without.headers.get("countersign-error")],
      [401, "unauthorized"],
    )
    for (const wrong of ["", "x", `${token}x`, token.slice(1), token.toUpperCase()]) {
      assert.strictEqual((await read(`${baseUrl}/metrics`, `Bearer ${wrong}`)).status, 401, wrong)
    }
    const found = await read(`${baseUrl}/metrics`, `Bearer ${token}`)
    assert.strictEqual(found.status, 200)
    assert.strictEqual(
      found.headers.get("content-type"),
      "text/plain; version=0.0.4; charset=utf-8",
    )
    assert.match(found.text, /^# TYPE countersign_http_requests_total counter$/m)
    assert.notInclude(found.text, token)
  }),
]
