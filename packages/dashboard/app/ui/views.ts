/** The saved views of a page, as the browser stores them. */
import type { FilterValues } from "./filterValues.ts"

export interface View {
  readonly name: string
  readonly values: FilterValues
}

export const maxViews = 5

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const isView = (value: unknown): value is View => {
  const { name, values } = Object(value)
  return typeof name === "string" && Object.values(Object(values)).every(isTexts)
}

/** Text that another build, or a person, has stored is no view. */
export const readViews = (stored: string | undefined): ReadonlyArray<View> => {
  try {
    const found: unknown = JSON.parse(stored ?? "[]")
    return Array.isArray(found) ? found.filter(isView).slice(0, maxViews) : []
  } catch {
    return []
  }
}
