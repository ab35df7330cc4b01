/**
 * The app. It knows web `Request`s and nothing of a server, so it runs wherever those are.
 */
import type { Countersign } from "countersign"
import { createLogin } from "countersign/login"
import { dashboard, signInWithPassword } from "@countersign/dashboard"
import { countersignHono } from "@countersign/hono"
import { type Context, Hono } from "hono"

export interface Parts {
  readonly countersign: Countersign
  /** The address at the other end of the connection: only the server of the runtime can tell. */
  readonly clientAddress: (context: Context) => string | undefined
}

export const makeApp = ({ clientAddress, countersign }: Parts): Hono => {
  const app = new Hono()

  app.route("/api/v2", countersignHono(countersign, { clientAddress }))

  const numbers = createLogin(countersign, {
    purpose: "number",
    // Without a country code it is a number of Bangladesh.
    country: "BD",
    // An app with users stores the number here.
    onVerified: ({ phoneNumber }) => Response.json({ phoneNumber, confirmedAt: new Date() }),
  })
  app.route("/numbers", countersignHono(numbers, { clientAddress }))

  const password = process.env["DASHBOARD_PASSWORD"]
  if (password) {
    // An app with a login of its own asks its sessions: see `express-postgres`.
    const authorize = signInWithPassword({ password })
    const admin = countersign.admin({ authorize, pages: dashboard({ signOutUrl: "sign-out" }) })
    app.route("/dashboard", countersignHono(admin, { clientAddress }))
  }

  // For the check of a balancer.
  app.get("/ready", (context) => context.body(null, countersign.isReady() ? 200 : 503))

  return app
}
