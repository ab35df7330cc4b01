/** The values of filters in the address, under the names that the API has for them. */
export type FilterValues = Readonly<Record<string, ReadonlyArray<string>>>

export const valuesIn = (search: URLSearchParams, names: ReadonlyArray<string>): FilterValues =>
  Object.fromEntries(names.map((name) => [name, search.getAll(name)]))

/** Whether a filter has a value. */
export const isFiltered = (values: FilterValues): boolean =>
  Object.values(values).some((own) => own.length > 0)

/** The address with other filters. It begins with the first page again; what is no filter stays. */
export const withValues = (search: URLSearchParams, changed: FilterValues): URLSearchParams => {
  const after = new URLSearchParams(search)
  for (const name of ["cursor", "after", "trail", ...Object.keys(changed)]) after.delete(name)
  for (const [name, own] of Object.entries(changed))
    for (const value of own) if (value.trim() !== "") after.append(name, value)
  return after
}
