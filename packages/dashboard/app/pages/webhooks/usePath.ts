import type { Webhook } from "../../api/types.ts"
import { useOrganization } from "../../session.tsx"

export const usePath = ({ id }: Webhook): string =>
  useOrganization().api(`webhooks/${encodeURIComponent(id)}`)
