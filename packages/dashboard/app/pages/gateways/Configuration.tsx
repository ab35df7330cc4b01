/** The capabilities of a gateway, as the host has configured it. */
import type { GatewayState } from "../../api/types.ts"
import { activity } from "../../i18n/en/activity.ts"
import { gateways } from "../../i18n/en/gateways.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { Facts } from "../../ui/data.tsx"

const english = { ...activity, ...gateways }

export const Configuration = ({ gateway }: { readonly gateway: GatewayState }) => {
  const { format, t } = useTexts(english)
  const text = t.gateways
  const reports: Readonly<Record<GatewayState["reports"], string>> = {
    signed: text.reportsSigned,
    unsigned: text.reportsUnsigned,
    polled: text.reportsPolled,
    none: text.reportsNone,
  }
  const yesNo = (value: boolean) => (value ? t.word.yes : t.word.no)
  const { perSecond } = gateway
  return (
    <details className="fold">
      <summary>{t.activity.configuration}</summary>
      <Facts
        items={[
          [text.channels, format.list(gateway.channels.map((channel) => t.channel[channel]))],
          [text.perSecond, perSecond === null ? text.unlimited : format.number(perSecond)],
          [text.pause, format.duration(gateway.recipientPause)],
          [text.timeout, format.duration(gateway.timeout)],
          [text.reports, reports[gateway.reports]],
          [text.lookup, yesNo(gateway.lookup)],
          [text.honoursToken, yesNo(gateway.honoursToken)],
          [text.recipientCheck, yesNo(gateway.recipientCheck)],
        ]}
      />
    </details>
  )
}
