import { Link } from "wouter"
import type { FoundMessages } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { optionsOf, useLogFilters } from "./messages/filters.ts"
import { TryItLink } from "./messages/TryItLink.tsx"
import { RefusedToNumber } from "./refused/ToNumber.tsx"
import { useMessageColumns } from "./messages/columns.tsx"
import { Search } from "../ui/search.tsx"

const Messages = () => {
  const { t } = useI18n()
  const { page } = useOrganization()
  const filters = useLogFilters(t.messageStatus)
  return (
    <Search
      path="messages"
      csv="messages.csv"
      cursorName="cursor"
      above={<RefusedToNumber />}
      actions={
        <Link className="button" href={page("messages/queued")}>
          {t.messages.queued}
        </Link>
      }
      texts={t.messages}
      filters={[
        ...filters,
        { name: "channel", label: t.word.channel, kind: "select", options: optionsOf(t.channel) },
        {
          name: "reasons",
          label: t.messages.failureReason,
          kind: "select",
          options: optionsOf(t.failureReason),
        },
        { name: "sender", label: t.messages.sender, kind: "text" },
        { name: "batch", label: t.messages.batch, kind: "text" },
        { name: "gateway", label: t.word.gateway, kind: "text" },
        { name: "gatewayId", label: t.messages.gatewayId, kind: "text" },
      ]}
      columns={useMessageColumns()}
      rowsOf={({ messages }: FoundMessages) => messages}
      rowKey={({ sequence }) => sequence}
    >
      <TryItLink />
    </Search>
  )
}

export default Messages
