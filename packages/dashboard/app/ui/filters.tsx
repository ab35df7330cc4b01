/** Filters of a list. The address has them, so that a search can be sent to a colleague. */
import { useState } from "react"
import { useSearchParams } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { Form, type Option, SelectField, TextField } from "./form.tsx"
import { isoOf, localOf } from "./localTime.ts"
import { typedNumber } from "./typedNumber.ts"

export interface Filter {
  readonly name: string
  readonly label: string
  /** `number`: a phone number. `time`: a time in the reader's zone. */
  readonly kind: "number" | "text" | "time" | "select"
  readonly options?: ReadonlyArray<Option>
}

/** The values of the filters in the address. */
export const useFilterValues = (
  names: ReadonlyArray<string>,
): Readonly<Record<string, string | null>> => {
  const [search] = useSearchParams()
  return Object.fromEntries(names.map((name) => [name, search.get(name)]))
}

type Values = Readonly<Record<string, string>>

interface FieldProps {
  readonly filter: Filter
  readonly values: Values
  readonly onChange: (values: Values) => void
}

const FilterField = ({ filter, onChange, values }: FieldProps) => {
  const { format, locale, t } = useI18n()
  const { kind, label, name, options = [] } = filter
  const value = values[name] ?? ""
  const change = (next: string) => onChange({ ...values, [name]: next })
  if (kind === "select")
    return (
      <SelectField
        name={name}
        label={label}
        value={value}
        onChange={change}
        options={[{ value: "", label: t.word.any }, ...options]}
      />
    )
  if (kind === "time")
    return (
      <TextField
        name={name}
        label={label}
        type="datetime-local"
        // The browser shows the field in its own language.
        {...(locale === "bn" && value !== "" ? { hint: format.minutes(isoOf(value)) } : {})}
        value={value === "" ? "" : localOf(value)}
        onChange={(local) => change(local === "" ? "" : isoOf(local))}
      />
    )
  const number = { type: "tel", inputMode: "tel", placeholder: "+880…" } as const
  return (
    <TextField
      name={name}
      label={label}
      value={value}
      onChange={change}
      {...(kind === "number" ? number : {})}
    />
  )
}

interface FiltersProps {
  readonly filters: ReadonlyArray<Filter>
  /** What the service has refused. */
  readonly error: Error | null
  /** The same search is wanted again. */
  readonly onRepeat: () => void
}

export const Filters = ({ error, filters, onRepeat }: FiltersProps) => {
  const { t } = useI18n()
  const [search, setSearch] = useSearchParams()
  const names = filters.map(({ name }) => name)
  const set = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ""]))
  const [edited, setEdited] = useState<{ readonly of: string; readonly values: Values }>()
  // Edits belong to the address at which they began: Back shows the filters of the page before.
  const address = search.toString()
  const values = edited?.of === address ? edited.values : set
  const numbers = filters.filter(({ kind }) => kind === "number").map(({ name }) => name)
  const apply = (next: Values) => {
    const wanted = new URLSearchParams(
      Object.entries(next)
        .filter(([, value]) => value.trim() !== "")
        .map(([name, value]) => [name, numbers.includes(name) ? typedNumber(value) : value]),
    )
    if (wanted.toString() === address) onRepeat()
    else setSearch(wanted)
  }
  const isSet = Object.values(set).some((value) => value !== "")
  return (
    <Form className="filters" error={error} fields={names} onSubmit={() => apply(values)}>
      {filters.map((filter) => (
        <FilterField
          key={filter.name}
          filter={filter}
          values={values}
          onChange={(next) => setEdited({ of: address, values: next })}
        />
      ))}
      <div className="filter-buttons">
        <Button type="submit" variant="primary">
          {t.action.search}
        </Button>
        {isSet && <Button onClick={() => apply({})}>{t.action.clear}</Button>}
      </div>
    </Form>
  )
}
