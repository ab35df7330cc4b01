/**
 * The engine, the inbox, the users and the payments. Node loads this module once for the process: see `load.ts`.
 */
import { countersign } from "@countersign/better-auth"
import { createInbox } from "@countersign/inbox"
import { betterAuth } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import { createCountersign } from "countersign"
import { createLogin } from "countersign/login"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

const folder = process.env["DATA_DIR"] || ".countersign"

/** It refuses to start in production, where `gateways` names your vendors. */
export const inbox = createInbox()
const engine = await createCountersign({ database: { folder }, gateways: inbox.gateways })

export const auth = betterAuth({
  baseURL: { allowedHosts: ["localhost:*", "127.0.0.1:*"] },
  database: new DatabaseSync(join(folder, "users.sqlite")),
  plugins: [countersign(engine, { country: "BD" })],
})
await (await getMigrations(auth.options)).runMigrations()

/** What users pay. Yours is in your database. */
export const order = { id: "1042", amount: "BDT 1,250", payee: "Rahim Store" }

export const payment = createLogin(engine, {
  purpose: "payment",
  basePath: "/api/payment",
  // The browser chooses neither the number nor the payment.
  onStart: async (_, { headers }) => {
    const phoneNumber = (await auth.api.getSession({ headers }))?.user.phoneNumber
    if (!phoneNumber) return new Response(null, { status: 401 })
    const { amount, id, payee } = order
    return { phoneNumber, payment: { amount, payee }, metadata: { order: id } }
  },
  // Runs once for each right code. Pay here.
  onVerified: ({ metadata }) => Response.json({ paid: metadata?.["order"] }),
})
