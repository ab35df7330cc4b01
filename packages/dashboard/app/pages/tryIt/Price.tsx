/** The price of a message, before it is sent. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { send } from "../../api/client.ts"
import type { MessagePreview } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"

interface Message {
  readonly text: string
  readonly channel: string
  readonly phoneNumber?: string
}

/** The price is read after a pause in typing. */
const pauseMillis = 400

export const Price = ({ message }: { readonly message: Message }) => {
  const { format, t } = useI18n()
  const { api } = useOrganization()
  const typed = JSON.stringify(message)
  const [asked, setAsked] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), pauseMillis)
    return () => clearTimeout(timer)
  }, [typed])
  const path = api("message-preview")
  const { data } = useQuery({
    queryKey: ["price", path, asked],
    queryFn: () => send<MessagePreview>({ method: "POST", path, body: message }),
    enabled: message.text !== "" && asked === typed,
    retry: false,
    staleTime: Infinity,
  })
  if (data === undefined || asked !== typed) return null
  const { currency, price, segments } = data
  const counted = { one: t.tryIt.segmentsOne, other: t.tryIt.segmentsOther }
  return (
    <p className="hint" role="status">
      {fill(t.tryIt.price, { price: format.money(price, currency) })}
      {segments !== null && ` ${format.plural(segments.segments, counted)}`}
    </p>
  )
}
