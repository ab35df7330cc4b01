/**
 * The inbox's page: one document with its style and its script inside, which
 * loads nothing from anywhere.
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"

const read = (name: string): string =>
  Fs.readFileSync(Path.join(import.meta.dirname, "inbox", name), "utf8")

/** Only what carries the nonce runs, so a message can never become a script or a style. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")

/** Reads the page's parts once, and gives an answer with a nonce of its own each time. */
export const make = Effect.sync(() => {
  // Functions, since a text may hold what `replace` takes for a pattern.
  const template = read("page.html")
    .replace("/* style */", () => read("page.css"))
    .replace("/* script */", () => read("page.js"))
  return Effect.sync(() => {
    const nonce = randomBytes(16).toString("base64")
    const html = template.replaceAll("{{nonce}}", nonce)
    return HttpServerResponse.text(html, {
      contentType: "text/html; charset=utf-8",
      headers: {
        "cache-control": "no-store",
        "content-security-policy": policy(nonce),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      },
    })
  })
})
