/** Says how many rows have come since the page was read. Rows that are shown never move by themselves. */
import { useEffect, useState } from "react"
import { below } from "../base.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { Button } from "./button.tsx"

interface Props {
  /** The types of the events with which rows come. */
  readonly events: ReadonlyArray<string>
  /** When the rows were read. Rows that have come before are among them. */
  readonly since: number
  readonly onShow: () => void
}

/** The type of an event of the stream; `undefined` for other text. */
const typeOf = (text: string): unknown => {
  try {
    return Object(JSON.parse(text)).type
  } catch {
    return undefined
  }
}

export const NewRows = ({ events, onShow, since }: Props) => {
  const { format, t } = useI18n()
  const { api } = useOrganization()
  const [all, setAll] = useState(0)
  const [shown, setShown] = useState({ since, count: 0 })
  if (shown.since !== since) setShown({ since, count: all })
  const count = all - shown.count
  const path = api("events/stream")
  const wanted = events.join()
  useEffect(() => {
    const types = wanted.split(",")
    let source: EventSource | undefined
    const close = () => {
      source?.close()
      source = undefined
    }
    // Browsers open six connections to an origin: a hidden tab leaves them to the others.
    const follow = () => {
      close()
      if (document.hidden) return
      source = new EventSource(below(`api/${path}`))
      source.addEventListener("message", ({ data }) => {
        if (types.includes(String(typeOf(String(data))))) setAll((before) => before + 1)
      })
    }
    follow()
    document.addEventListener("visibilitychange", follow)
    return () => {
      document.removeEventListener("visibilitychange", follow)
      close()
    }
  }, [path, wanted])
  return (
    <div className="new-rows" role="status">
      {count > 0 && (
        <>
          {format.plural(count, { one: t.state.newRowsOne, other: t.state.newRowsOther })}{" "}
          <Button className="small" onClick={onShow}>
            {t.state.showNew}
          </Button>
        </>
      )}
    </div>
  )
}
