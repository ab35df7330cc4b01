import { Tabs as Base } from "@base-ui/react/tabs"
import { type ReactNode, Suspense } from "react"
import { useSearchParams } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { Loading } from "./states.tsx"

interface Tab {
  readonly value: string
  readonly label: string
  readonly content: ReactNode
  /** The content keeps its state while another tab is shown. */
  readonly keep?: boolean
}

/** Tabs of a page, which are a list on phones. The address has the chosen one. */
export const Tabs = ({ tabs }: { readonly tabs: ReadonlyArray<Tab> }) => {
  const [search, setSearch] = useSearchParams()
  const { t } = useI18n()
  const choose = (tab: string) => setSearch({ tab }, { replace: true })
  const chosen = tabs.find(({ value }) => value === search.get("tab")) ?? tabs[0]
  return (
    <Base.Root value={chosen?.value ?? null} onValueChange={(value) => choose(String(value))}>
      <select
        className="input tabs-select"
        aria-label={t.word.section}
        value={chosen?.value}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {tabs.map(({ label, value }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Base.List className="tabs-list">
        {tabs.map(({ label, value }) => (
          <Base.Tab key={value} value={value} className="tab">
            {label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ content, keep = false, value }) => (
        <Base.Panel key={value} value={value} keepMounted={keep}>
          <Suspense fallback={<Loading />}>{content}</Suspense>
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
