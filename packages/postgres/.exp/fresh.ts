import { Effect, Redacted } from "effect"
import { startPostgres } from "../../../test/support/PostgresServer.ts"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
const s = await startPostgres({ fsync: false })
await Effect.runPromise(Effect.gen(function* () { for (const t of ["template0", "template0", "template0"]) { const a = performance.now(); yield* Effect.scoped(Effect.andThen(freshDatabase(s.url, t), () => Effect.sync(() => console.log("created", performance.now() - a)))); console.log("dropped", performance.now() - a) } }))
await s.stop()
