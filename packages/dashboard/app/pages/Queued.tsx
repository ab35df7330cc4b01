import { useState } from "react"
import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { QueuedMessage, QueuedMessages } from "../api/types.ts"
import { queued as english } from "../i18n/en/queued.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Time, type Tone } from "../ui/data.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Pager, Table } from "../ui/table.tsx"
import { Cancel, Reschedule } from "./queued/actions.tsx"
import { causeText } from "./refused/causes.ts"

const tones: Readonly<Record<QueuedMessage["status"], Tone>> = {
  queued: "info",
  sent: "good",
  refused: "bad",
  cancelled: "neutral",
  expired: "warn",
}

interface Asked {
  readonly action: "cancel" | "reschedule"
  readonly message: QueuedMessage
}

const useColumns = (onAsk: (asked: Asked) => void): ReadonlyArray<Column<QueuedMessage>> => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const { page } = useOrganization()
  const button = (action: Asked["action"], message: QueuedMessage) => (
    <Button
      className="small"
      aria-label={`${t.queued[action]}: ${message.phoneNumber}`}
      onClick={() => onAsk({ action, message })}
    >
      {t.queued[action]}
    </Button>
  )
  return [
    {
      key: "phoneNumber",
      title: t.word.phoneNumber,
      cell: ({ phoneNumber, sequence }) =>
        sequence === null ? (
          <Code>{phoneNumber}</Code>
        ) : (
          <Link href={page(`messages/${sequence}`)}>
            <Code>{phoneNumber}</Code>
          </Link>
        ),
    },
    {
      key: "status",
      title: t.word.status,
      cell: ({ status }) => <Badge tone={tones[status]}>{t.queuedStatus[status]}</Badge>,
    },
    {
      key: "sendAt",
      title: t.queued.sendAt,
      cell: ({ createdAt, endedAt, sendAt, status }) =>
        status === "queued" && (sendAt === null || sendAt <= createdAt) ? (
          t.queued.soon
        ) : (
          <Time iso={sendAt ?? endedAt ?? createdAt} />
        ),
    },
    {
      key: "reason",
      title: t.word.reason,
      cell: ({ reason }) => (reason === null ? "—" : causeText({ code: reason, reason: null }, t)),
    },
    {
      key: "text",
      title: t.queued.text,
      wide: true,
      fill: true,
      cell: ({ text }) => (
        <span className="clip" title={text}>
          {text === "" ? "—" : text}
        </span>
      ),
    },
    ...(can("messages.cancelQueued")
      ? [
          {
            key: "actions",
            title: t.word.actions,
            untitled: true,
            align: "end" as const,
            cell: (message: QueuedMessage) =>
              message.status === "queued" && (
                <>
                  {button("reschedule", message)}
                  {button("cancel", message)}
                </>
              ),
          },
        ]
      : []),
  ]
}

const Queued = () => {
  const { t } = useTexts(english)
  const { api, page } = useOrganization()
  const [search] = useSearchParams()
  const [asked, setAsked] = useState<Asked>()
  const columns = useColumns(setAsked)
  const path = withQuery(api("queued-messages"), { cursor: search.get("cursor"), limit: 50 })
  const query = useRead<QueuedMessages>(path, { keep: true, every: 15_000 })
  const close = () => setAsked(undefined)
  return (
    <Page
      title={t.queued.title}
      intro={t.queued.intro}
      up={{ href: page("messages"), title: t.messages.title }}
    >
      <Loaded query={query}>
        {({ messages, next }) => (
          <>
            {messages.length === 0 ? (
              <Empty title={t.queued.empty} hint={t.queued.emptyHint} />
            ) : (
              <Table
                label={t.queued.title}
                hasTimes
                columns={columns}
                rows={messages}
                rowKey={({ id }) => id}
              />
            )}
            <Pager isOldestFirst next={next} busy={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
      {asked?.action === "cancel" && <Cancel message={asked.message} onClose={close} />}
      {asked?.action === "reschedule" && <Reschedule message={asked.message} onClose={close} />}
    </Page>
  )
}

export default Queued
