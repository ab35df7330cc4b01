import type { RefusalPage } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { Search } from "../ui/search.tsx"
import { useRefusalColumns } from "./refused/columns.tsx"

const Refusals = () => {
  const { t } = useI18n()
  const options = Object.entries(t.refusedCode)
    .filter(([code]) => !code.includes("/"))
    .map(([value, label]) => ({ value, label }))
  return (
    <Search
      path="refusals"
      csv="refusals.csv"
      cursorName="cursor"
      texts={t.refused}
      filters={[
        { name: "phoneNumber", label: t.word.phoneNumber, kind: "number" },
        { name: "codes", label: t.refused.cause, kind: "select", options },
        { name: "from", label: t.word.from, kind: "time" },
        { name: "to", label: t.word.to, kind: "time" },
      ]}
      columns={useRefusalColumns()}
      rowsOf={({ refusals }: RefusalPage) => refusals}
      rowKey={({ sequence }) => sequence}
    />
  )
}

export default Refusals
