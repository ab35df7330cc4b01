/** Filters of a list. The address has them, so that a search can be sent to a colleague. */
import { useState } from "react"
import { useSearchParams } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { type Filter, wordsOf } from "./filterWords.ts"
import { type FilterValues, isFiltered, valuesIn, withValues } from "./filterValues.ts"
import { Form, TextField } from "./textForm.tsx"
import { Icon } from "./icons.tsx"
import { onDemand } from "./onDemand.ts"
import { Popover } from "./popover.tsx"
import { hasProblems, Problem } from "./problem.tsx"
import { SavedViews } from "./savedViews.tsx"
import { typedNumber } from "./typedNumber.ts"

export type { Filter } from "./filterWords.ts"

/** Loaded with the popover that it is in. */
const FilterEditor = onDemand(() => import("./FilterEditor.tsx"))

/** The values of the filters in the address. */
export const useFilterValues = (names: ReadonlyArray<string>): FilterValues => {
  const [search] = useSearchParams()
  return valuesIn(search, names)
}

const numberField = { type: "tel", inputMode: "tel", placeholder: "+880…" } as const

interface OpenProps {
  readonly filters: ReadonlyArray<Filter>
  readonly values: FilterValues
  readonly error: Error | null
  readonly onChange: (values: FilterValues) => void
}

/** The filters of most searches, each with a field on the page. */
const OpenFilters = ({ error, filters, onChange, values }: OpenProps) => {
  const { t } = useI18n()
  // Edits belong to the address at which they began: Back shows the filters of the page before.
  const address = JSON.stringify(values)
  const [edited, setEdited] = useState({ of: address, texts: new Map<string, string>() })
  const texts = edited.of === address ? edited.texts : new Map<string, string>()
  const textOf = (name: string): string => texts.get(name) ?? values[name]?.[0] ?? ""
  if (filters.length === 0) return null
  const names = filters.map(({ name }) => name)
  const submit = () =>
    onChange(
      Object.fromEntries(
        filters.map(({ kind, name }) => [
          name,
          [kind === "number" ? typedNumber(textOf(name)) : textOf(name).trim()],
        ]),
      ),
    )
  return (
    <Form className="open-filters" error={error} fields={names} onSubmit={submit}>
      {filters.map(({ kind, label, name }) => (
        <TextField
          key={name}
          name={name}
          label={label}
          {...(kind === "number" ? numberField : {})}
          value={textOf(name)}
          onChange={(text) => setEdited({ of: address, texts: new Map(texts).set(name, text) })}
        />
      ))}
      <Button type="submit">{t.action.search}</Button>
    </Form>
  )
}

interface OneProps {
  readonly filter: Filter
  readonly values: ReadonlyArray<string>
  readonly onChange: (values: ReadonlyArray<string>) => void
}

const Chip = ({ filter, onChange, values }: OneProps) => {
  const { format, t } = useI18n()
  const [isOpen, setOpen] = useState(false)
  return (
    <span className="filter-chip">
      <Popover
        open={isOpen}
        onOpenChange={setOpen}
        className="filter-value"
        button={`${filter.label}: ${wordsOf(filter, values, format)}`}
        label={filter.label}
      >
        <FilterEditor {...{ filter, values, onChange }} onDone={() => setOpen(false)} />
      </Popover>
      <button
        type="button"
        className="icon-button"
        aria-label={`${t.action.removeFilter}: ${filter.label}`}
        onClick={() => onChange([])}
      >
        <Icon name="close" />
      </button>
    </span>
  )
}

interface MoreProps {
  readonly filters: ReadonlyArray<Filter>
  readonly values: FilterValues
  readonly onChange: (values: FilterValues) => void
}

/** All filters by name. A phone has no chips, so this button counts what is set. */
const More = ({ filters, onChange, values }: MoreProps) => {
  const { format, t } = useI18n()
  const [isOpen, setOpen] = useState(false)
  const [edited, setEdited] = useState<string>()
  const filter = filters.find(({ name }) => name === edited)
  const count = filters.filter(({ name }) => (values[name] ?? []).length > 0).length
  const open = (next: boolean) => {
    setOpen(next)
    if (next) setEdited(undefined)
  }
  return (
    <Popover
      open={isOpen}
      onOpenChange={open}
      className="button"
      label={t.action.filter}
      button={
        <>
          <Icon name="plus" />
          {t.action.filter}
          {count > 0 && <span className="filter-count">{format.number(count)}</span>}
        </>
      }
    >
      {filter === undefined ? (
        <ul>
          {filters.map(({ label, name, ...rest }) => (
            <li key={name}>
              <button type="button" className="popup-item" onClick={() => setEdited(name)}>
                <span className="popup-text">
                  {label}
                  <span className="muted">
                    {` ${wordsOf({ label, name, ...rest }, values[name] ?? [], format)}`}
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <FilterEditor
          filter={filter}
          values={values[filter.name] ?? []}
          onChange={(own) => onChange({ [filter.name]: own })}
          onDone={() => setOpen(false)}
        />
      )}
    </Popover>
  )
}

interface FiltersProps {
  readonly filters: ReadonlyArray<Filter>
  /** The error of the search. */
  readonly error: Error | null
  /** The same search is wanted again. */
  readonly onRepeat: () => void
}

export const Filters = ({ error, filters, onRepeat }: FiltersProps) => {
  const { t } = useI18n()
  const [search, setSearch] = useSearchParams()
  const names = filters.map(({ name }) => name)
  const values = valuesIn(search, names)
  const apply = (changed: FilterValues) => {
    const wanted = withValues(search, changed)
    if (wanted.toString() === search.toString()) onRepeat()
    else setSearch(wanted)
  }
  const problem = hasProblems(error) ? error : null
  const isOpen = ({ kind }: Filter): boolean => kind === "number" || kind === "find"
  const open = filters.filter(isOpen)
  const others = filters.filter((filter) => !isOpen(filter))
  return (
    <div className="filters" role="search">
      {open.length === 0 && <Problem error={problem} />}
      <OpenFilters filters={open} values={values} error={problem} onChange={apply} />
      {others
        .filter(({ name }) => (values[name] ?? []).length > 0)
        .map((filter) => (
          <Chip
            key={filter.name}
            filter={filter}
            values={values[filter.name] ?? []}
            onChange={(own) => apply({ [filter.name]: own })}
          />
        ))}
      {others.length > 0 && <More filters={others} values={values} onChange={apply} />}
      <SavedViews values={values} />
      {isFiltered(values) && (
        <Button
          variant="quiet"
          onClick={() => apply(Object.fromEntries(names.map((name) => [name, []])))}
        >
          {t.action.clear}
        </Button>
      )}
    </div>
  )
}
