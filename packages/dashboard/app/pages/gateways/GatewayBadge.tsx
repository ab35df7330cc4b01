import type { GatewayState } from "../../api/types.ts"
import { gateways as english } from "../../i18n/en/gateways.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { Badge, type Tone } from "../../ui/data.tsx"

const tones: Readonly<Record<GatewayState["state"], Tone>> = {
  available: "good",
  trying: "warn",
  failing: "bad",
  barred: "bad",
}

export const GatewayBadge = ({ state }: Pick<GatewayState, "state">) => {
  const { t } = useTexts(english)
  return <Badge tone={tones[state]}>{t.gateways[state]}</Badge>
}
