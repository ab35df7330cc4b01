/** A list of settings: the value in force, where it comes from, and its change in place. */
import type { ReactNode } from "react"
import type { Organization } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { Button } from "../../ui/button.tsx"

export const SettingRows = ({
  children,
  label,
}: {
  readonly label: string
  readonly children: ReactNode
}) => (
  <ul className="setting-rows" aria-label={label}>
    {children}
  </ul>
)

interface Props {
  readonly label: string
  readonly hint?: string
  readonly value: ReactNode
  /** Where the value comes from. */
  readonly origin: ReactNode
  readonly canChange: boolean
  /** Offered if the organization has a value of its own. */
  readonly onReset?: (() => void) | undefined
  readonly isResetting?: boolean
  readonly onChange: () => void
  /** The form, while the setting is changed. */
  readonly editor?: ReactNode
}

export const SettingRow = ({
  canChange,
  editor,
  hint,
  isResetting = false,
  label,
  onChange,
  onReset,
  origin,
  value,
}: Props) => {
  const { t } = useTexts(english)
  const named = (action: string) => `${action}: ${label}`
  return (
    <li className="setting-row">
      <div className="setting-head">
        <div className="setting-label">
          {label}
          {hint !== undefined && <p className="hint">{hint}</p>}
        </div>
        <div className="setting-value">{value}</div>
        <div className="setting-origin muted">{origin}</div>
        {canChange && editor === undefined && (
          <div className="setting-actions">
            {onReset !== undefined && (
              <Button
                className="small"
                busy={isResetting}
                aria-label={named(t.settingsPage.useDefault)}
                onClick={onReset}
              >
                {t.settingsPage.useDefault}
              </Button>
            )}
            <Button className="small" aria-label={named(t.settingsPage.change)} onClick={onChange}>
              {t.settingsPage.change}
            </Button>
          </div>
        )}
      </div>
      {editor}
    </li>
  )
}

/** The actor who set a setting of the organization, and the time. */
export const useOrigin = ({ changes }: Organization) => {
  const { format, t } = useTexts(english)
  return (setting: string): ReactNode => {
    const found = changes.find((one) => one.setting === setting)
    if (found === undefined) return t.settingsPage.setHere
    const { changedAt, changedBy } = found
    return (
      <time dateTime={changedAt} title={format.fullTime(changedAt)}>
        {fill(t.settingsPage.setBy, { name: changedBy, time: format.minutes(changedAt) })}
      </time>
    )
  }
}
