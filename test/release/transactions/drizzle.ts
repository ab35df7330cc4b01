/** Drizzle: adds a user and queues the code in one transaction. */
import type { OfRequest, Prepared, PreparedStatement } from "countersign"
import { type SQL, sql } from "drizzle-orm"
import type { NodePgDatabase } from "drizzle-orm/node-postgres"
import { pgTable } from "drizzle-orm/pg-core"

const users = pgTable("users", (column) => ({
  phoneNumber: column.text("phone_number"),
  requestId: column.text("request_id"),
}))

const toSql = ({ text, values }: PreparedStatement): SQL =>
  sql.join(
    text
      .split(/\$(\d+)/)
      .map((part, index) => (index % 2 ? sql.param(values[Number(part) - 1]) : sql.raw(part))),
  )

export const signUp = (db: NodePgDatabase, phoneNumber: string, later: OfRequest & Prepared) =>
  db.transaction(async (tx) => {
    await tx.execute(toSql(later.statement))
    await tx.insert(users).values({ phoneNumber, requestId: later.requestId })
  })
