import type { Operation } from "@countersign/core/api/Operation"
import { rows } from "@countersign/http/admin/AdminApi"
import { assert, it } from "vitest"
import { audit } from "../packages/dashboard/app/i18n/en/audit.ts"

it("the dashboard has a sentence for every action that the admin API records", () => {
  const recorded = [...rows.values()].flatMap(({ admin }: Operation) => admin?.audit?.action ?? [])
  assert.isAbove(recorded.length, 10)
  assert.includeMembers(Object.keys(audit.audit.actions), recorded)
})
