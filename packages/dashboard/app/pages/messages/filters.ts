import { useI18n } from "../../i18n/i18n.tsx"
import type { Filter } from "../../ui/filters.tsx"

export const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

/** The filters that messages and verifications have in common. */
export const useLogFilters = (
  statuses: Readonly<Record<string, string>>,
): ReadonlyArray<Filter> => {
  const { t } = useI18n()
  return [
    { name: "phoneNumber", label: t.word.phoneNumber, kind: "number" },
    { name: "statuses", label: t.word.status, kind: "select", options: optionsOf(statuses) },
    { name: "from", label: t.word.from, kind: "time" },
    { name: "to", label: t.word.to, kind: "time" },
  ]
}
