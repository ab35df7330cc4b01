/** The newest messages of the inbox of development, if it is on the same origin; else a link to it. */
import { useQuery } from "@tanstack/react-query"
import { useI18n } from "../../i18n/i18n.tsx"
import { Code, Copy, Time } from "../../ui/data.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Empty } from "../../ui/states.tsx"
import { Table } from "../../ui/table.tsx"

interface InboxMessage {
  readonly id: string
  readonly to: string
  readonly text: string
  readonly code: string | null
  readonly at: string
}

const read = async (url: string, signal: AbortSignal): Promise<ReadonlyArray<InboxMessage>> => {
  const response = await fetch(`${url.replace(/\/+$/, "")}/messages?limit=20`, { signal })
  if (!response.ok) throw new Error(`the inbox answered ${response.status}`)
  return response.json()
}

const Messages = ({ messages }: { readonly messages: ReadonlyArray<InboxMessage> }) => {
  const { t } = useI18n()
  if (messages.length === 0) return <Empty title={t.messages.empty} />
  return (
    <Table
      label={t.tryIt.inboxTab}
      hasTimes
      rows={messages}
      rowKey={({ id }) => id}
      columns={[
        { key: "to", title: t.word.phoneNumber, cell: ({ to }) => <Code>{to}</Code> },
        { key: "at", title: t.word.time, wide: true, cell: ({ at }) => <Time iso={at} /> },
        {
          key: "text",
          title: t.tryIt.text,
          cell: ({ text }) => <span className="text">{text}</span>,
        },
        {
          key: "code",
          title: t.tryIt.code,
          cell: ({ code }) =>
            code !== null && (
              <span className="share">
                <Code>{code}</Code>
                <Copy text={code} />
              </span>
            ),
        },
      ]}
    />
  )
}

const Inbox = ({ url }: { readonly url: string }) => {
  const { t } = useI18n()
  const isOwn = new URL(url, location.href).origin === location.origin
  const query = useQuery({
    queryKey: ["inbox", url],
    queryFn: ({ signal }) => read(url, signal),
    enabled: isOwn,
    refetchInterval: 3_000,
    retry: false,
  })
  return (
    <>
      <p className="inbox-link">
        {t.tryIt.inboxHint}{" "}
        <a href={url} target="_blank" rel="noreferrer">
          {t.tryIt.openInbox} <Icon name="external" />
        </a>
      </p>
      {query.data !== undefined && <Messages messages={query.data} />}
    </>
  )
}

export default Inbox
