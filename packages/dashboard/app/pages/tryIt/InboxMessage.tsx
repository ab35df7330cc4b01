/** In development: the newest message to a number, with its code. The inbox has all of them. */
import { useQuery } from "@tanstack/react-query"
import { useI18n } from "../../i18n/i18n.tsx"
import { Code, Copy } from "../../ui/data.tsx"
import { Icon } from "../../ui/icons.tsx"

interface InboxMessage {
  readonly text: string
  readonly code: string | null
}

const read = async (url: string, to: string, signal: AbortSignal): Promise<InboxMessage | null> => {
  const query = new URLSearchParams({ to, limit: "1" })
  const response = await fetch(`${url.replace(/\/+$/, "")}/messages?${query}`, { signal })
  if (!response.ok) throw new Error(`the inbox answered ${response.status}`)
  const [newest]: ReadonlyArray<InboxMessage> = await response.json()
  return newest ?? null
}

interface Props {
  readonly url: string
  readonly phoneNumber: string
}

export const InboxMessage = ({ phoneNumber, url }: Props) => {
  const { t } = useI18n()
  const { data } = useQuery({
    queryKey: ["inbox", url, phoneNumber],
    queryFn: ({ signal }) => read(url, phoneNumber, signal),
    // A page of another origin may not read it.
    enabled: new URL(url, location.href).origin === location.origin,
    refetchInterval: 3_000,
    retry: false,
  })
  return (
    <div className="inbox-message">
      {data && (
        <blockquote>
          <p>{data.text}</p>
          {data.code !== null && (
            <p>
              <Code>{data.code}</Code> <Copy text={data.code} />
            </p>
          )}
        </blockquote>
      )}
      <p className="hint">
        {t.tryIt.inboxHint}{" "}
        <a href={url} target="_blank" rel="noreferrer">
          {t.tryIt.openInbox} <Icon name="external" />
        </a>
      </p>
    </div>
  )
}
