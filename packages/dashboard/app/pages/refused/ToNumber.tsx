import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../../api/client.ts"
import type { RefusalPage } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Section } from "../../ui/page.tsx"
import { Table } from "../../ui/table.tsx"
import { useRefusalColumns } from "./columns.tsx"

const shown = 5

/** The newest refused calls to the phone number that is searched for; nothing without such calls. */
export const RefusedToNumber = () => {
  const { t } = useI18n()
  const { api, page } = useOrganization()
  const columns = useRefusalColumns()
  const [search] = useSearchParams()
  const phoneNumber = search.get("phoneNumber")
  const query = useRead<RefusalPage>(withQuery(api("refusals"), { phoneNumber, limit: shown }), {
    enabled: phoneNumber !== null,
  })
  const { next = null, refusals = [] } = query.data ?? {}
  if (refusals.length === 0) return null
  return (
    <Section title={t.refused.toNumber}>
      <Table
        label={t.refused.toNumber}
        hasTimes
        columns={columns}
        rows={refusals}
        rowKey={({ sequence }) => sequence}
      />
      {next !== null && (
        <p>
          <Link href={page(withQuery("refusals", { phoneNumber }))}>{t.refused.all}</Link>
        </p>
      )}
    </Section>
  )
}
