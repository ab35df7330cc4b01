import { Select as BaseSelect } from "@base-ui/react/select"
import { FieldFrame, type FieldProps, type Option } from "./field.tsx"
import { Icon } from "./icons.tsx"

interface SelectFieldProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: ReadonlyArray<Option>
}

const Listbox = ({ options }: { readonly options: ReadonlyArray<Option> }) => (
  <BaseSelect.Portal>
    <BaseSelect.Positioner className="positioner" sideOffset={4} alignItemWithTrigger={false}>
      <BaseSelect.Popup className="popup">
        <BaseSelect.List className="popup-list">
          {options.map(({ label, value }) => (
            <BaseSelect.Item key={value} value={value} className="popup-item">
              <BaseSelect.ItemIndicator className="popup-mark">
                <Icon name="check" />
              </BaseSelect.ItemIndicator>
              <BaseSelect.ItemText className="popup-text">{label}</BaseSelect.ItemText>
            </BaseSelect.Item>
          ))}
        </BaseSelect.List>
      </BaseSelect.Popup>
    </BaseSelect.Positioner>
  </BaseSelect.Portal>
)

/** One of a few options. */
export const SelectField = ({
  hint,
  label,
  name,
  onChange,
  optional,
  options,
  value,
}: SelectFieldProps) => (
  <FieldFrame {...{ name, label, hint, ...(optional === undefined ? {} : { optional }) }}>
    <BaseSelect.Root
      items={[...options]}
      value={value}
      onValueChange={(next) => onChange(next ?? "")}
    >
      <BaseSelect.Trigger className="input select">
        <BaseSelect.Value />
        <BaseSelect.Icon>
          <Icon name="chevron" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <Listbox options={options} />
    </BaseSelect.Root>
  </FieldFrame>
)
