/**
 * The app's own table, and the transaction that adds a user and queues the code.
 */
import type { Countersign, PreparedStatement } from "countersign"
import { type SQL, sql } from "drizzle-orm"
import type { PgliteDatabase } from "drizzle-orm/pglite"
import { pgTable } from "drizzle-orm/pg-core"

export const users = pgTable("users", ({ text }) => ({
  phoneNumber: text("phone_number").primaryKey(),
  name: text().notNull(),
  /** Known before the code is sent. */
  requestId: text("request_id").notNull(),
}))

export const purpose = "sign-up"

export const createTable = sql`
  create table users (phone_number text primary key, name text not null, request_id text not null)`

/** Drizzle takes a text and its values as one expression. */
const toSql = ({ text, values }: PreparedStatement): SQL =>
  sql.join(
    text
      .split(/\$(\d+)/)
      .map((part, index) => (index % 2 ? sql.param(values[Number(part) - 1]) : sql.raw(part))),
  )

/** Either the user exists and gets a code, or neither. Returns the id of the request. */
export const signUp = async (
  db: PgliteDatabase,
  { verifications }: Countersign,
  user: Pick<typeof users.$inferInsert, "name" | "phoneNumber">,
): Promise<string> => {
  const { phoneNumber } = user
  const { requestId, statement } = verifications.prepare({ phoneNumber, purpose })
  await db.transaction(async (tx) => {
    await tx.execute(toSql(statement))
    await tx.insert(users).values({ ...user, requestId })
  })
  return requestId
}
