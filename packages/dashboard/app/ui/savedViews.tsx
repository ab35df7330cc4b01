/** Filters of a page under a name, in this browser: five for each page. */
import { useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { readStored, writeStored } from "../stored.ts"
import { Button } from "./button.tsx"
import { Form, TextField } from "./textForm.tsx"
import { type FilterValues, isFiltered, withValues } from "./filterValues.ts"
import { Icon } from "./icons.tsx"
import { Popover } from "./popover.tsx"
import { maxViews, readViews, type View } from "./views.ts"

export const SavedViews = ({ values }: { readonly values: FilterValues }) => {
  const { t } = useI18n()
  const [path] = useLocation()
  const [search, setSearch] = useSearchParams()
  const key = `views-${path.replace(/^\/org\/[^/]+\//, "")}` as const
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState("")
  const [views, setViews] = useState(() => readViews(readStored(key)))
  const store = (next: ReadonlyArray<View>) => {
    writeStored(key, JSON.stringify(next))
    setViews(next)
  }
  const save = () => {
    if (name.trim() === "") return
    store([...views.filter((view) => view.name !== name.trim()), { name: name.trim(), values }])
    setName("")
    setOpen(false)
  }
  const canSave = isFiltered(values)
  if (views.length === 0 && !canSave) return null
  const none = Object.fromEntries(Object.keys(values).map((own) => [own, []]))
  return (
    <Popover
      open={isOpen}
      onOpenChange={setOpen}
      className="button quiet"
      button={t.view.title}
      label={t.view.title}
    >
      <ul>
        {views.map((view) => (
          <li key={view.name} className="view">
            <button
              type="button"
              className="popup-item"
              onClick={() => {
                setSearch(withValues(search, { ...none, ...view.values }))
                setOpen(false)
              }}
            >
              <span className="popup-text">{view.name}</span>
            </button>
            <button
              type="button"
              className="icon-button"
              aria-label={`${t.view.remove}: ${view.name}`}
              onClick={() => store(views.filter((other) => other !== view))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {canSave && views.length < maxViews && (
        <Form error={null} fields={[]} onSubmit={save}>
          <TextField
            name="view"
            label={t.view.name}
            maxLength={40}
            value={name}
            onChange={setName}
          />
          <Button type="submit">{t.view.save}</Button>
        </Form>
      )}
      {views.length >= maxViews && <p className="hint">{t.view.full}</p>}
    </Popover>
  )
}
