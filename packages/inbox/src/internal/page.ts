/** The inbox's page and its files, which load nothing from elsewhere. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { pageFiles } from "./pageFiles.ts"

/** Only the page's own files run, so a message can never become a script or a style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** Headers of everything that the inbox answers. */
export const unshared = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const file = (text: string, contentType: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, {
    contentType: `${contentType}; charset=utf-8`,
    headers: {
      ...unshared,
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
    },
  })

/** The files beside the page, by their paths below the mount. */
export const files = {
  "/icon.svg": file(pageFiles.icon, "image/svg+xml"),
  "/page.css": file(pageFiles.style, "text/css"),
  "/page.js": file(pageFiles.script, "text/javascript"),
}

/**
 * The page for a path as the browser knows it. A browser resolves links from the folder of the page, which is not
 * the mount if the path has no slash at its end.
 */
export const page = (path: string): HttpServerResponse.HttpServerResponse => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const folder = name === "" ? "" : `./${name.replace(/[^\w.~%-]/g, encodeURIComponent)}/`
  return file(pageFiles.page.replaceAll("{{folder}}", folder), "text/html")
}
