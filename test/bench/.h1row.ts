import { startPostgres } from "../support/PostgresServer.ts"
import { latency } from "./rows/latency.ts"
import { betterAuth } from "./rows/betterAuth.ts"
import { page, table, toResult } from "./report.ts"
import { writeFileSync } from "node:fs"
const p = await startPostgres({ fsync: true })
const m = process.argv[2] === "latency" ? latency : betterAuth
try {
  const c: any = { scale: "full", rounds: 1, postgresUrl: async () => p.url, postgresPid: async () => p.pid, log: console.log }
  const r = await m.run(c)
  const result = toResult(m, c, r, "18")
  console.log(page([result]))
} finally { await p.stop() }
