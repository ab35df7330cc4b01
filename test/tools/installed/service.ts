/**
 * An app on Express, for `node`, for bundlers and for either module format: it starts, answers a request,
 * commits a hundred times, prints what that took and ends. Without `DATABASE_URL` the data is in the folder
 * `DATA_DIR`.
 */
import { countersignExpress } from "@countersign/express"
import { createCountersign } from "countersign"
import express from "express"

const main = async (): Promise<void> => {
  const countersign = await createCountersign({
    database: process.env["DATABASE_URL"] ?? { folder: process.env["DATA_DIR"] ?? "" },
    secret: "a secret for tests, and for nothing else",
    log: () => {},
  })
  const app = express()
  app.use("/api/v2", countersignExpress(countersign))
  const { key } = await countersign.apiKeys.create({ name: "another service" })
  const server = app.listen(0, "127.0.0.1", async () => {
    const readyMillis = Math.round(performance.now())
    const { user, system } = process.cpuUsage()
    const processorMillis = Math.round((user + system) / 1e3)
    const rssMegabytes = Math.round(process.memoryUsage.rss() / 1e6)
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/balance`, {
      headers: { authorization: `Bearer ${key}` },
    })
    for (let count = 0; count < 100; count++) await countersign.account.topUp({ amount: "1" })
    const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1e3)
    const { status } = response
    console.log(
      JSON.stringify({ readyMillis, processorMillis, rssMegabytes, peakMegabytes, status }),
    )
    server.close()
    await countersign.dispose()
  })
}

void main()
