import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import { useSearchParams } from "wouter"

interface Tab {
  readonly value: string
  readonly label: string
  readonly content: ReactNode
  /** The content keeps its state while another tab is shown. */
  readonly keep?: boolean
}

/** Tabs of a page. The address has the chosen one. */
export const Tabs = ({ tabs }: { readonly tabs: ReadonlyArray<Tab> }) => {
  const [search, setSearch] = useSearchParams()
  const chosen = tabs.find(({ value }) => value === search.get("tab")) ?? tabs[0]
  return (
    <Base.Root
      value={chosen?.value ?? null}
      onValueChange={(value) => setSearch({ tab: String(value) }, { replace: true })}
    >
      <Base.List className="tabs-list">
        {tabs.map(({ label, value }) => (
          <Base.Tab key={value} value={value} className="tab">
            {label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ content, keep = false, value }) => (
        <Base.Panel key={value} value={value} keepMounted={keep}>
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
