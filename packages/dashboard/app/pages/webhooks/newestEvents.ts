import { useRead } from "../../api/client.ts"
import type { EventPage } from "../../api/types.ts"
import { useOrganization } from "../../session.tsx"

/** The newest events, which show how far behind a webhook is. */
export const useNewestEvents = (count: number) => {
  const { api } = useOrganization()
  const newest = useRead<EventPage>(api("events?limit=1"), { every: 15_000 })
  const last = newest.data?.last
  const after = Math.max(0, (last ?? 0) - count)
  return useRead<EventPage>(api(`events?after=${after}&limit=${count}`), {
    enabled: last !== undefined,
    keep: true,
  })
}
