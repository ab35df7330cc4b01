import { Link } from "wouter"
import type { Message } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Code, Money, Time } from "../../ui/data.tsx"
import { MessageBadge } from "../../ui/status.tsx"
import type { Column } from "../../ui/table.tsx"

/** The columns of a table of messages. */
export const useMessageColumns = (): ReadonlyArray<Column<Message>> => {
  const { t } = useI18n()
  const { host } = useSession()
  const { page } = useOrganization()
  return [
    {
      key: "phoneNumber",
      title: t.word.phoneNumber,
      cell: ({ id, phoneNumber }) => (
        <Link href={page(`messages/${encodeURIComponent(id)}`)}>
          <Code>{phoneNumber}</Code>
        </Link>
      ),
    },
    { key: "status", title: t.word.status, cell: ({ status }) => <MessageBadge status={status} /> },
    { key: "time", title: t.word.time, cell: ({ createdAt }) => <Time iso={createdAt} /> },
    {
      key: "price",
      title: t.messages.price,
      align: "end",
      cell: ({ price }) => <Money amount={price} currency={host.currency} />,
    },
    {
      key: "channel",
      title: t.word.channel,
      wide: true,
      cell: ({ channel }) => t.channel[channel],
    },
    { key: "sender", title: t.messages.sender, extra: true, cell: ({ sender }) => sender },
    {
      key: "error",
      title: t.messages.error,
      wide: true,
      cell: ({ failureReason, vendorCode }) => {
        if (failureReason === null) return "—"
        return (
          <span title={t.failureReason[failureReason]}>
            {vendorCode === null ? t.failureShort[failureReason] : <Code>{vendorCode}</Code>}
          </span>
        )
      },
    },
    { key: "gateway", title: t.word.gateway, wide: true, cell: ({ gateway }) => gateway },
    {
      key: "text",
      title: t.messages.text,
      wide: true,
      fill: true,
      cell: ({ text }) => (
        <span className="clip" title={text}>
          {text === "" ? t.messages.erased : text}
        </span>
      ),
    },
  ]
}
