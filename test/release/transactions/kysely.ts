/** Kysely: adds a user and queues the code in one transaction. */
import type { OfRequest, Prepared } from "countersign"
import { CompiledQuery, type Kysely } from "kysely"

export interface Database {
  users: { phone_number: string; request_id: string }
}

export const signUp = (db: Kysely<Database>, phoneNumber: string, later: OfRequest & Prepared) =>
  db.transaction().execute(async (trx) => {
    await trx.executeQuery(CompiledQuery.raw(later.statement.text, later.statement.values))
    const row = { phone_number: phoneNumber, request_id: later.requestId }
    await trx.insertInto("users").values(row).execute()
  })
