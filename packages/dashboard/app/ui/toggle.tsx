import { Toggle as BaseToggle } from "@base-ui/react/toggle"
import { ToggleGroup } from "@base-ui/react/toggle-group"
import type { Option } from "./form.tsx"

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: ReadonlyArray<Option>
}

/** One of a few options, all of them in sight. */
export const Toggle = ({ label, onChange, options, value }: Props) => (
  <ToggleGroup
    className="toggle-group"
    aria-label={label}
    value={[value]}
    onValueChange={([next]) => next !== undefined && onChange(next)}
  >
    {options.map((option) => (
      <BaseToggle key={option.value} value={option.value} className="toggle">
        {option.label}
      </BaseToggle>
    ))}
  </ToggleGroup>
)
