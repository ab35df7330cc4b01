/**
 * A login on a page of React, in a server on loopback and in Chromium, on the viewport of a phone.
 */
import Axe from "axe-core"
import { createCountersign, createTestClock, developmentGateway } from "countersign"
import { createLogin } from "countersign/login"
import { build } from "esbuild"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, assert, beforeAll, type TestContext } from "vitest"
import { installMillis, missingBrowser, openBrowser } from "../support/chromium.ts"
import { end, listen } from "../support/loopback.ts"
import { complaintsOf } from "../support/watchedPage.ts"
import { root } from "../tools/paths.ts"

declare global {
  interface Window {
    readonly axe: typeof Axe
  }
}

const nonce = "of-the-page"

/** The page's program: `?bangla` and `?parse` choose what it shows. */
const program = `
  import { parsePhoneNumber } from "countersign/phone"
  import { bangla, english, VerificationForm } from "@countersign/react"
  import { createElement, StrictMode } from "react"
  import { createRoot } from "react-dom/client"

  const has = (name) => new URLSearchParams(location.search).has(name)
  const parse = has("parse") ? (typed) => parsePhoneNumber(typed, { country: "BD" }) : undefined
  const texts = has("bangla") ? bangla : english
  document.documentElement.lang = texts.language
  const form = createElement(VerificationForm, { basePath: "/login", nonce: "${nonce}", parse, texts })
  createRoot(document.getElementById("root")).render(createElement(StrictMode, null, form))
`

export const versions = ["19", "18"] as const
export type Version = (typeof versions)[number]

const reactOf = (version: Version, name: "react" | "react-dom"): string =>
  version === "18"
    ? join(root, "test/release/node_modules", `${name}-18`)
    : join(root, "packages/react/node_modules", name)

const bundle = async (version: Version): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: join(root, "test") },
    alias: { react: reactOf(version, "react"), "react-dom": reactOf(version, "react-dom") },
    bundle: true,
    format: "esm",
    jsx: "automatic",
    // StrictMode does its second round in development only.
    define: { "process.env.NODE_ENV": '"development"' },
    write: false,
  })
  return outputFiles[0]?.text ?? ""
}

const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src data:`

const html = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign in</title>` +
  `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">` +
  `<style nonce="${nonce}">body { background: Canvas }</style><link rel="stylesheet" href="/styles.css"></head><body><main>${body}</main></body></html>`

const startApp = async (script: string) => {
  const gateway = developmentGateway()
  const clock = createTestClock()
  const countersign = await createCountersign({
    database: "memory",
    secret: "a secret for tests, and only for tests",
    gateways: [gateway],
    clock,
    log: () => {},
  })
  const login = createLogin(countersign, {
    country: "BD",
    onVerified: () => new Response(null, { status: 303, headers: { location: "/home" } }),
  })
  const files: Readonly<Record<string, readonly [string, string]>> = {
    "/": [
      "text/html",
      html('<h1>Sign in</h1><div id="root"></div><script type="module" src="/page.js"></script>'),
    ],
    "/home": ["text/html", html("<h1>Welcome</h1>")],
    "/page.js": ["text/javascript", script],
    "/styles.css": ["text/css", readFileSync(join(root, "packages/react/styles.css"), "utf8")],
  }
  const calls: Array<string> = []
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? "/").replace(/\?.*/, "")
    if (path.startsWith("/login/")) {
      if (request.method === "POST") calls.push(path.slice("/login/".length))
      login.listener(request, response, { basePath: "/login", body: undefined })
      return
    }
    const [type, text] = files[path] ?? ["text/plain", ""]
    const headers = { "content-type": `${type}; charset=utf-8`, "content-security-policy": policy }
    response.writeHead(path in files ? 200 : 404, headers).end(text)
  }
  const server = createServer(serve)
  const origin = `http://127.0.0.1:${await listen(server)}`
  const stop = async (): Promise<void> => {
    end(server)
    await login.dispose()
    await countersign.dispose()
  }
  return { calls, clock, gateway, origin, stop }
}

type App = Awaited<ReturnType<typeof startApp>>

export interface Lab extends Pick<App, "calls" | "clock" | "gateway"> {
  readonly page: Page
  readonly openTab: (query?: string) => Promise<Page>
}

/** Opens a browser for the tests of a file, on one version of React. The result makes the body of a test. */
export const reactPages = (version: Version) => {
  let browser: Browser
  let script = ""
  let missing: string | undefined

  beforeAll(async () => {
    missing = await missingBrowser()
    if (missing !== undefined) return
    browser = await openBrowser()
    script = await bundle(version)
  }, installMillis + 60_000)

  afterAll(() => browser?.close())

  return (options: BrowserContextOptions, body: (lab: Lab) => Promise<void>, query = "") =>
    async ({ skip }: Pick<TestContext, "skip">): Promise<void> => {
      if (missing !== undefined) return skip(missing)
      const { calls, clock, gateway, origin, stop } = await startApp(script)
      const viewport = { width: 360, height: 780 }
      const context = await browser.newContext({ viewport, baseURL: origin, ...options })
      context.setDefaultTimeout(15_000)
      const complaints = complaintsOf(context, origin)
      const openTab = async (asked = query): Promise<Page> => {
        const page = await context.newPage()
        await page.goto(`/${asked}`)
        return page
      }
      try {
        await body({ calls, clock, gateway, page: await openTab(), openTab })
        assert.deepStrictEqual(complaints, [])
      } finally {
        await context.close()
        await stop()
      }
    }
}

/** Everything that axe finds on the page, and how many pixels the page is too wide. */
export const findings = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(Axe.source)
  return page.evaluate(async () => {
    const { violations } = await window.axe.run()
    const excess = document.documentElement.scrollWidth - window.innerWidth
    return [
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ failureSummary, html: found }) => `${id}: ${found}: ${failureSummary}`),
      ),
      ...(excess > 0 ? [`${excess} pixels too wide`] : []),
    ]
  })
}
