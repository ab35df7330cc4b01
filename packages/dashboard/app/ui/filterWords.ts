/** The filters of a search, and the values of a filter in words. */
import type { Format } from "../i18n/format.ts"
import type { Option } from "./field.tsx"

export interface Filter {
  readonly name: string
  readonly label: string
  /** `number`, a phone number, and `find` have a field on the page. `time`: a time in the reader's zone. */
  readonly kind: "find" | "number" | "text" | "time" | "select"
  /** All values of `select`; suggestions for `text`, which accepts any other value. */
  readonly options?: ReadonlyArray<Option>
}

/** The values of a filter in the reader's words. */
export const wordsOf = (
  { kind, options = [] }: Filter,
  values: ReadonlyArray<string>,
  format: Format,
): string =>
  values
    .map((value) => {
      if (kind === "time") return Number.isNaN(Date.parse(value)) ? value : format.minutes(value)
      return options.find((option) => option.value === value)?.label ?? value
    })
    .join(", ")
