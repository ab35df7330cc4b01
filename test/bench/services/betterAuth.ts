/**
 * better-auth's phone-number plugin on `node:http` and PostgreSQL with `pg`, set up as in its
 * documentation, with its own tables and handler. Its rate limit is off, sending an OTP does nothing, and
 * it sends no telemetry. For each OTP it writes one row, in one transaction.
 */
import { betterAuth, type BetterAuthOptions } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import { toNodeHandler } from "better-auth/node"
import { phoneNumber } from "better-auth/plugins"
import { createServer } from "node:http"
import { Pool } from "pg"
import { listen, options, SentCodes } from "./serve.ts"

const { databaseUrl } = options()
const sent = new SentCodes()

const auth = {
  baseURL: "http://127.0.0.1",
  secret: "b".repeat(32),
  // 5, 10, 20 and 40 connections make no clear difference, because most of the time is spent in JavaScript.
  database: new Pool({ connectionString: databaseUrl, max: 10 }),
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: "error" },
  plugins: [
    phoneNumber({
      sendOTP: ({ code, phoneNumber }) => sent.remember(phoneNumber, code),
    }),
  ],
} satisfies BetterAuthOptions

const { runMigrations } = await getMigrations(auth)
await runMigrations()

listen(createServer(toNodeHandler(betterAuth(auth))), {
  // Sending an OTP needs no key.
  keys: [""],
  answers: { codes: () => sent.take() },
})
