/** Knex: adds a user and queues the code in one transaction. */
import type { OfRequest, Prepared, PreparedStatement } from "countersign"
import type { Knex } from "knex"

/** The placeholder `:1` for `$1`, and the values by these names. */
const named = ({ text, values }: PreparedStatement) =>
  [
    text.replaceAll(/\$(\d+)/g, ":$1"),
    Object.fromEntries(values.map((value, index) => [index + 1, value])),
  ] as const

export const signUp = (knex: Knex, phoneNumber: string, later: OfRequest & Prepared) =>
  knex.transaction(async (trx) => {
    await trx.raw(...named(later.statement))
    await trx("users").insert({ phone_number: phoneNumber, request_id: later.requestId })
  })
