import { PgConnection } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** Every row of every table of the engine, or of one table, as text. Writes all pages to the files. */
export const dumpOf = (url: string, only?: string): Promise<string> =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ url: Redacted.make(url) })
    const tables = yield* connection.query(
      "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'countersign'",
    )
    const texts: Array<string> = []
    for (const { name } of tables.rows) {
      if (only !== undefined && name !== `countersign.${only}`) continue
      const { rows } = yield* connection.query(`SELECT t::text AS row FROM ${String(name)} t`)
      texts.push(...rows.map(({ row }) => String(row)))
    }
    yield* connection.query("CHECKPOINT")
    return texts.join("\n")
  }).pipe(Effect.scoped, Effect.runPromise)
