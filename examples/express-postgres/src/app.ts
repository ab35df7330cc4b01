/**
 * The app: the page to sign in with, the engine's own interface for other programs, the dashboard of the
 * operators, and the protection against other sites.
 */
import { dashboard } from "@countersign/dashboard"
import { countersignExpress } from "@countersign/express"
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express"
import { join } from "node:path"
import { login, type Parts } from "./login.ts"
import { authorize } from "./operators.ts"
import type { Settings } from "./settings.ts"

/** The page loads its own script and its own style, and nothing else from anywhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

const secureHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    "Content-Security-Policy": policy,
    // With "no-referrer", browsers would send our own forms without their origin.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
  })
  next()
}

/**
 * No other site changes anything. `SameSite=Lax` keeps the cookie from its forms; this also keeps another site
 * from signing its own visitor in. Browsers name the origin of every form.
 */
const fromOurPage =
  (origin: string | undefined): RequestHandler =>
  (request, response, next) => {
    const own = origin ?? `http://${request.get("host")}`
    if (request.method === "GET" || request.method === "HEAD") return next()
    if (request.get("origin") === own) return next()
    response.status(403).type("text").send(`This form does not come from ${own}.`)
  }

/** The last resort: even the page could not be shown. */
const failed: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) return next(error)
  console.error(error)
  response.status(503).type("text").send("We cannot answer at the moment. Please try again.")
}

export const makeApp = (
  parts: Parts,
  { operators, origin, proxies }: Pick<Settings, "operators" | "origin" | "proxies">,
): Express => {
  const app = express().disable("x-powered-by").set("trust proxy", proxies)
  // For the check of a balancer.
  app.get("/ready", (_request, response) => {
    response.sendStatus(parts.countersign.isReady() ? 200 : 503)
  })
  // It has its own way of telling who is calling: keys, and no cookies.
  app.use("/api/v2", countersignExpress(parts.countersign))
  // It brings its own headers, and its own protection against other sites.
  const admin = { authorize: authorize(parts, operators), pages: dashboard() }
  app.use("/dashboard", countersignExpress(parts.countersign.admin(admin)))
  app.use(secureHeaders, fromOurPage(origin))
  app.use(express.static(join(import.meta.dirname, "../public"), { index: false }))
  app.use(login(parts))
  app.use(failed)
  return app
}
