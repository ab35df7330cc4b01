/** TypeORM: adds a user and queues the code in one transaction. */
import type { OfRequest, Prepared } from "countersign"
import type { DataSource } from "typeorm"

export const signUp = (dataSource: DataSource, phoneNumber: string, later: OfRequest & Prepared) =>
  dataSource.transaction(async (manager) => {
    await manager.query(later.statement.text, later.statement.values)
    await manager.insert("users", { phoneNumber, requestId: later.requestId })
  })
