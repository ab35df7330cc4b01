import type { Refusal } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { Badge, Code, Time } from "../../ui/data.tsx"
import type { Column } from "../../ui/table.tsx"
import { causeText, detailText } from "./causes.ts"

/** The columns of refused calls. */
export const useRefusalColumns = (): ReadonlyArray<Column<Refusal>> => {
  const words = useI18n()
  const { t } = words
  return [
    {
      key: "phoneNumber",
      title: t.word.phoneNumber,
      cell: ({ phoneNumber }) =>
        phoneNumber === null ? t.refused.unknownNumber : <Code>{phoneNumber}</Code>,
    },
    {
      key: "cause",
      title: t.refused.cause,
      cell: (refusal) => <Badge tone="bad">{causeText(refusal, t)}</Badge>,
    },
    { key: "time", title: t.word.time, cell: ({ at }) => <Time iso={at} /> },
    {
      key: "call",
      title: t.refused.call,
      wide: true,
      cell: ({ operation }) => t.refusedCall[operation],
    },
    {
      key: "channel",
      title: t.word.channel,
      wide: true,
      cell: ({ channel }) => (channel === null ? "—" : t.channel[channel]),
    },
    {
      key: "caller",
      title: t.refused.caller,
      wide: true,
      cell: ({ actor, apiKeyId }) => (apiKeyId === null ? actor : <Code>{apiKeyId}</Code>),
    },
    {
      key: "details",
      title: t.refused.details,
      wide: true,
      fill: true,
      cell: (refusal) => detailText(refusal, words) || "—",
    },
  ]
}
