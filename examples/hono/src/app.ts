/**
 * The app. It knows web `Request`s and nothing of a server, so it runs wherever those are.
 */
import { type Countersign, CountersignError, errorResponse, parsePhoneNumber } from "countersign"
import { dashboard, signInWithPassword } from "@countersign/dashboard"
import { countersignHono } from "@countersign/hono"
import { type Context, Hono } from "hono"
import { validator } from "hono/validator"
import { makeSessions } from "./sessions.ts"

export interface Parts {
  readonly countersign: Countersign
  /** The address at the other end of the connection: only the server of the runtime can tell. */
  readonly clientAddress: (context: Context) => string | undefined
}

/** Bodies of text members only. */
const texts = <const Names extends ReadonlyArray<string>>(...names: Names) =>
  validator("json", (body: unknown, context) => {
    const members = new Map(names.map((name) => [name, textOf(body, name)]))
    const missing = names.filter((name) => members.get(name) === undefined)
    return missing.length === 0
      ? { text: (name: Names[number]): string => members.get(name) ?? "" }
      : context.json({ code: "invalid_body", error: `Missing: ${missing.join(", ")}` }, 400)
  })

const textOf = (body: unknown, name: string): string | undefined => {
  if (typeof body !== "object" || body === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(body, name)?.value
  return typeof value === "string" ? value : undefined
}

export const makeApp = ({ clientAddress, countersign }: Parts): Hono => {
  const app = new Hono()
  const { verifications } = countersign
  const sessions = makeSessions()

  app.route("/api/v2", countersignHono(countersign, { clientAddress }))

  const password = process.env["DASHBOARD_PASSWORD"]
  if (password) {
    // An app with a login of its own asks its sessions: see `express-postgres`.
    const authorize = signInWithPassword({ password })
    const admin = countersign.admin({ authorize, pages: dashboard({ signOutUrl: "sign-out" }) })
    app.route("/dashboard", countersignHono(admin, { clientAddress }))
  }

  // For the check of a balancer.
  app.get("/ready", (context) => context.body(null, countersign.isReady() ? 200 : 503))

  app.post("/numbers", texts("phoneNumber"), async (context) => {
    // Without a country code it is a number of Bangladesh.
    const typed = context.req.valid("json").text("phoneNumber")
    const phoneNumber = parsePhoneNumber(typed, { country: "BD" })
    if (phoneNumber === undefined) return context.json({ code: "invalid_number" }, 400)
    const { expiresAt, requestId } = await verifications.send({ phoneNumber })
    context.header("set-cookie", sessions.begin(context.req.header("cookie"), requestId))
    return context.json({ expiresAt }, 202)
  })

  app.post("/numbers/resend", async (context) => {
    const requestId = sessions.requestIdOf(context.req.header("cookie"))
    const { resendAt } = await verifications.resend({ requestId })
    return context.json({ resendAt }, 202)
  })

  app.post("/numbers/confirm", texts("code"), async (context) => {
    const cookie = context.req.header("cookie")
    const { phoneNumber, verifiedAt } = await verifications.verify({
      requestId: sessions.requestIdOf(cookie),
      code: context.req.valid("json").text("code"),
    })
    sessions.end(cookie)
    return context.json({ phoneNumber, confirmedAt: verifiedAt })
  })

  app.onError((error, context) => {
    if (!(error instanceof CountersignError)) {
      // Hono's own, such as a body that is no JSON, know their answer.
      if ("getResponse" in error) return error.getResponse()
      console.error(error)
      return context.json({ error: "Something went wrong." }, 500)
    }
    const { body, headers, status } = errorResponse(error)
    if (status >= 500) console.error(error)
    return Response.json(body, { status, headers })
  })

  return app
}
