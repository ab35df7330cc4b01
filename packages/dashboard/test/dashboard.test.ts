import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { dashboard, type PageFile, type Pages } from "../src/index.ts"

const find = async (
  pages: Pages,
  path: string,
  encoding = "gzip, deflate, br",
): Promise<PageFile> => {
  const file = await pages.file(path, encoding)
  assert.isDefined(file, path)
  return file ?? { status: 0, headers: {}, body: "" }
}

const text = ({ body }: PageFile): string =>
  typeof body === "string" ? body : new TextDecoder().decode(body)

const bytes = ({ body }: PageFile): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : body

/** The addresses that a page loads from. */
const addresses = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = ""]) => address)

describe("a page", () => {
  it.each([
    ["/", "./assets/"],
    ["/organizations", "./assets/"],
    ["/org/acme", "../assets/"],
    ["/org/acme/messages", "../../assets/"],
    ["/org/acme/messages/3", "../../../assets/"],
  ])("at %s names its files by %s", async (path, prefix) => {
    const html = text(await find(dashboard(), path))
    const found = addresses(html)
    assert.isAbove(found.length, 3)
    for (const address of found)
      assert.match(address, new RegExp(`^${prefix.replaceAll(".", "\\.")}\\w`))
  })

  it("is the same at any path below the mount, so that deep links work", async () => {
    const pages = dashboard()
    const strip = (html: string): string => html.replaceAll("../", "").replaceAll("./", "")
    const root = text(await find(pages, "/"))
    assert.strictEqual(strip(text(await find(pages, "/org/acme/verifications/9"))), strip(root))
  })

  it("has no script or style inside, no base, and names no other origin", async () => {
    const html = text(await find(dashboard(), "/"))
    assert.notMatch(html, /<style|<base|style=|<script(?![^>]* src=)|https?:/)
    assert.match(html, /<script type="module" src="\.\/assets\/main-\w+\.js"><\/script>/)
  })

  it("is asked for again each time, and its files never", async () => {
    const pages = dashboard()
    const page = await find(pages, "/")
    assert.strictEqual(page.headers["cache-control"], "no-cache")
    for (const address of addresses(text(page))) {
      const file = await find(pages, address.slice(1))
      assert.strictEqual(file.headers["cache-control"], "public, max-age=31536000, immutable")
      assert.match(file.headers["content-type"] ?? "", /^(text\/(css|javascript)|image\/svg)/)
      assert.isTrue(pages.isPublic(address.slice(1)))
    }
    assert.isFalse(pages.isPublic("/"))
    assert.isFalse(pages.isPublic("/org/acme"))
    assert.isFalse(pages.isPublic("/assetsx/"))
  })

  it("carries the host's name and settings as text", async () => {
    const name = `<b>"A" & B</b>`
    const html = text(await find(dashboard({ name, signOutUrl: "/logout", locales: ["bn"] }), "/"))
    assert.include(html, "<title>&lt;b&gt;&quot;A&quot; &amp; B&lt;/b&gt;</title>")
    assert.include(html, `<html lang="bn">`)
    assert.include(html, "&quot;signOutUrl&quot;:&quot;/logout&quot;")
    assert.notInclude(html, name)
  })
})

describe("an asset", () => {
  const script = async (pages: Pages): Promise<string> => {
    const found = /\/assets\/main-\w+\.js/.exec(text(await find(pages, "/")))
    return found?.[0] ?? ""
  }

  it.each([
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br; q=0.0", undefined],
    ["identity", undefined],
    ["", undefined],
  ])("is sent to a reader that accepts %j as %s", async (accept, encoding) => {
    const pages = dashboard()
    const path = await script(pages)
    const file = await find(pages, path, accept)
    assert.strictEqual(file.headers["content-encoding"], encoding)
    assert.strictEqual(file.headers["vary"], "Accept-Encoding")
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }
    const plain =
      encoding === "br" || encoding === "gzip" ? decode[encoding](bytes(file)) : bytes(file)
    assert.deepStrictEqual(new TextDecoder().decode(plain), text(await find(pages, path, "")))
  })

  it.each([
    "/assets/",
    "/assets/main.js",
    "/assets/../index.ts",
    "/assets/__proto__",
    "/assets/constructor",
  ])("that does not exist is missing: %s", async (path) => {
    assert.isUndefined(await dashboard().file(path, "br"))
  })
})

describe("a theme", () => {
  const styleOf = async (pages: Pages): Promise<string> => {
    const path = /\/assets\/theme-[\w-]+\.css/.exec(text(await find(pages, "/")))?.[0] ?? ""
    return text(await find(pages, path))
  }

  it("sets its tokens for both color schemes", async () => {
    const theme = { accent: { light: "#036", dark: "#9cf" }, radius: "2px" }
    assert.strictEqual(
      await styleOf(dashboard({ theme })),
      ":root{--accent:light-dark(#036, #9cf);--radius:2px}",
    )
  })

  it("has another address when it changes", async () => {
    const [one, two] = await Promise.all(
      ["1px", "2px"].map(async (radius) => text(await find(dashboard({ theme: { radius } }), "/"))),
    )
    assert.notStrictEqual(one, two)
  })

  it.each([
    "red;}body{display:none",
    "url(https://example.com)",
    "red/*",
    "</style>",
    "\\75rl(x)",
    "",
  ])("refuses a value that is no single CSS value: %s", (accent) => {
    assert.throws(() => dashboard({ theme: { accent } }), TypeError, "theme.accent")
  })
})

it.each([
  ["an empty name", { name: " " }, "name"],
  ["a long name", { name: "x".repeat(61) }, "name"],
  ["no language", { locales: [] }, "locales"],
  ["a sign-out of another scheme", { signOutUrl: "javascript:alert(1)" }, "signOutUrl"],
  ["a sign-out that is a script", { signOutUrl: "data:text/html,x" }, "signOutUrl"],
] as const)("%s is a TypeError that names the option", (_, options, name) => {
  assert.throws(() => dashboard(options), TypeError, name)
})
