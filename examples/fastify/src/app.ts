/**
 * The app: the endpoints that confirm a number at `/numbers`, the engine's interface at `/api/v2`, and the dashboard at
 * `/dashboard`.
 */
import type { Countersign } from "countersign"
import { createLogin } from "countersign/login"
import { dashboard, signInWithPassword } from "@countersign/dashboard"
import { countersignFastify } from "@countersign/fastify"
import Fastify, { type FastifyInstance } from "fastify"

export const makeApp = (countersign: Countersign): FastifyInstance => {
  const app = Fastify({ logger: { level: "warn" } })

  // Each mount ends the engine as well, when the app closes.
  app.register(countersignFastify(countersign), { prefix: "/api/v2" })

  const numbers = createLogin(countersign, {
    purpose: "number",
    // Without a country code it is a number of Bangladesh.
    country: "BD",
    // An app with users stores the number here.
    onVerified: ({ phoneNumber }) => Response.json({ phoneNumber, confirmedAt: new Date() }),
  })
  app.register(countersignFastify(numbers), { prefix: "/numbers" })

  const password = process.env["DASHBOARD_PASSWORD"]
  if (password) {
    // An app with a login of its own asks its sessions: see `express-postgres`.
    const authorize = signInWithPassword({ password })
    const admin = countersign.admin({ authorize, pages: dashboard({ signOutUrl: "sign-out" }) })
    app.register(countersignFastify(admin), { prefix: "/dashboard" })
  }

  // For the check of a balancer.
  app.get("/ready", (_request, reply) => reply.code(countersign.isReady() ? 200 : 503).send())

  return app
}
