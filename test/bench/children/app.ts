/**
 * An app on Express that serves the balance, with Countersign if `APP_DATABASE_URL` is set and without it otherwise.
 * Imports no other file, because it runs beside the built packages.
 */
import express from "express"

const app = express()
const database = process.env["APP_DATABASE_URL"]
if (database === undefined) {
  app.get("/api/v2/balance", (_, response) => void response.json({ balance: "0" }))
} else {
  const { createCountersign } = await import("countersign")
  const { countersignExpress } = await import("@countersign/express")
  const secret = process.env["APP_SECRET"] ?? ""
  const engine = await createCountersign({ database, secret, log: () => {} })
  app.use("/api/v2", countersignExpress(engine))
}
app.listen(Number(process.env["PORT"]), "127.0.0.1")
