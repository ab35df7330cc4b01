import { activity as english } from "../i18n/en/activity.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { type PeriodName, periodNames } from "./activityPeriod.ts"
import { Toggle } from "./toggle.tsx"

interface Props {
  readonly value: PeriodName
  readonly onChange: (name: string) => void
}

export const PeriodToggle = ({ onChange, value }: Props) => {
  const { t } = useTexts(english)
  return (
    <Toggle
      label={t.activity.period}
      value={value}
      onChange={onChange}
      options={periodNames.map((name) => ({ value: name, label: t.activity.periods[name] }))}
    />
  )
}
