/** The reads of alerts. */
import type { AlertRows } from "@countersign/core/ports/AlertRows"
import type { Database } from "./database.ts"
import { alerts } from "./rows/alertRows.ts"
import { rowType } from "./rows/rowTable.ts"
import * as AlertSql from "./statements/alertSql.ts"

export const makeAlertRows = ({ all, first, schema }: Database): AlertRows => {
  const sql = AlertSql.make(schema)
  return {
    alerts: (organization) => first(sql.readAlerts(organization), alerts.decode),
    examinable: (query) => all(sql.readExaminable(query), examined.decode),
  }
}

const { checkedAt, organization } = alerts.fields

const examined = rowType({ organization, checkedAt })
