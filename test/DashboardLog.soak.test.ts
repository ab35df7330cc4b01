/**
 * A million messages: each is on exactly one page of the admin API, and the browser waits for no page longer
 * than its bound.
 */
import { dashboard } from "@countersign/dashboard"
import { createCountersign, developmentGateway } from "countersign"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, inject, test } from "vitest"
import { bulkLoad, organizationId } from "./bench/bulk.ts"
import { startService } from "./bench/services/Service.ts"
import { missingBrowser, openBrowser } from "./support/chromium.ts"
import { serveFetch } from "./support/fetchServer.ts"
import { freshDatabase } from "./support/freshDatabase.ts"
import { at } from "./support/Quickstart.ts"
import { temporaryScope } from "./support/temporaryScope.ts"

const { close, run } = temporaryScope()
afterAll(close)

const messages = 1_000_000
const organization = organizationId(1)

const ofMessages = `/organizations/${organization}/messages`

/** Milliseconds that a page of a list may take at the server. */
const most = 200

const load = async (databaseUrl: string): Promise<void> => {
  const service = await startService("countersign", { databaseUrl, organizations: 2 })
  try {
    const holdings = [{ index: 1, messages, recipients: 200_000 }]
    await bulkLoad({ databaseUrl, service, pattern: 0, holdings })
  } finally {
    await service.stop()
  }
}

/** Whether a request reads a page of the log. */
const isPage = ({ url }: Request): boolean => new URL(url).pathname.endsWith("/api" + ofMessages)

const startHost = async (database: string) => {
  const engine = await createCountersign({
    // That of the service that loads the messages.
    secret: "b".repeat(32),
    database,
    gateways: { sms: developmentGateway() },
    log: () => {},
  })
  const mount = engine.admin({
    authorize: () => ({ actor: { id: "soak" }, roles: ["operator"] }),
    pages: dashboard(),
  })
  return { engine, mount }
}

test("a million messages are read once each, and a page of them is shown in time", async ({
  annotate,
}) => {
  const database = Redacted.value(await run(freshDatabase(inject("postgresUrl"))))
  await load(database)
  const { engine, mount } = await startHost(database)
  const times: Array<number> = []
  const fetched = async (request: Request): Promise<Response> => {
    const began = performance.now()
    const response = await mount.fetch(request)
    if (isPage(request)) times.push(performance.now() - began)
    return response
  }
  const seen = new Uint8Array(messages + 1)
  let cursor: string | null = null
  do {
    const query = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const url = `http://localhost/admin/api${ofMessages}?limit=200${query}`
    const page: unknown = await (await fetched(new Request(url))).json()
    const list = at(page, "messages")
    if (!Array.isArray(list)) return assert.fail(JSON.stringify(page))
    for (const one of list) {
      const sequence = Number(at(one, "sequence"))
      seen[sequence] = (seen[sequence] ?? 0) + 1
    }
    const next = at(page, "next")
    cursor = typeof next === "string" ? next : null
  } while (cursor !== null)
  assert.strictEqual(
    seen.subarray(1).findIndex((count) => count !== 1),
    -1,
  )
  const sorted = times.splice(0).toSorted((one, other) => one - other)
  await annotate(
    `${sorted.length} pages of 200: p50 ${sorted[sorted.length >> 1]?.toFixed(1)} ms, most ${sorted.at(-1)?.toFixed(1)} ms`,
  )

  const missing = await missingBrowser()
  if (missing !== undefined) return assert.fail(missing)
  const browser = await openBrowser()
  try {
    const origin = await run(serveFetch((request) => fetched(request)))
    const page = await browser.newPage()
    await page.goto(`${origin}/admin/org/${organization}/messages`)
    const older = page.getByRole("button", { name: "Older" })
    await older.waitFor()
    const [first] = await page.getByRole("table").getByRole("link").allTextContents()
    await older.click()
    await page.getByRole("link", { name: first ?? "", exact: true }).waitFor({ state: "detached" })
    assert.isAbove(await page.getByRole("row").count(), 10)
    await annotate(`pages in the browser: ${times.map((time) => time.toFixed(1)).join(", ")} ms`)
    assert.lengthOf(times, 2)
    assert.isAtMost(Math.max(...times), most)
  } finally {
    await browser.close()
    await engine.dispose()
  }
}, 900_000)
