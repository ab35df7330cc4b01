/** MikroORM: adds a user and queues the code in one transaction. */
import type { OfRequest, Prepared, PreparedStatement } from "countersign"
import { defineEntity, type EntityManager } from "@mikro-orm/postgresql"

export const User = defineEntity({
  name: "User",
  tableName: "users",
  properties: (p) => ({ phoneNumber: p.text().primary(), requestId: p.text() }),
})

/** The placeholder `:1` for `$1`, and the values by these names. */
const named = ({ text, values }: PreparedStatement) =>
  [
    text.replaceAll(/\$(\d+)/g, ":$1"),
    Object.fromEntries(values.map((value, index) => [index + 1, value])),
  ] as const

export const signUp = (em: EntityManager, phoneNumber: string, later: OfRequest & Prepared) =>
  em.transactional(async (tx) => {
    await tx.execute(...named(later.statement), "run")
    tx.create(User, { phoneNumber, requestId: later.requestId })
  })
