/** postgres.js: adds a user and queues the code in one transaction. */
import type { OfRequest, Prepared } from "countersign"
import type { Sql } from "postgres"

export const signUp = (sql: Sql, phoneNumber: string, later: OfRequest & Prepared) =>
  sql.begin(async (tx) => {
    await tx.unsafe(later.statement.text, later.statement.values)
    await tx`insert into users (phone_number, request_id) values (${phoneNumber}, ${later.requestId})`
  })
