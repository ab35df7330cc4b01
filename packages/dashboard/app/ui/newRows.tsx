/** Says how many rows have come since the page was read. Rows that are shown never move by themselves. */
import { useEffect, useState } from "react"
import { below } from "../base.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { Button } from "./button.tsx"

interface Props {
  /** The types of the events with which rows come. */
  readonly events: ReadonlyArray<string>
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

export const NewRows = ({ events, onShow }: Props) => {
  const { format, t } = useI18n()
  const { api } = useOrganization()
  const [count, setCount] = useState(0)
  const path = api("events/stream")
  const wanted = events.join()
  useEffect(() => {
    const types = wanted.split(",")
    const source = new EventSource(below(`api/${path}`))
    source.addEventListener("message", ({ data }) => {
      if (types.includes(String(typeOf(String(data))))) setCount((before) => before + 1)
    })
    return () => source.close()
  }, [path, wanted])
  const show = () => {
    setCount(0)
    onShow()
  }
  return (
    <div className="new-rows" role="status">
      {count > 0 && (
        <>
          {format.plural(count, { one: t.state.newRowsOne, other: t.state.newRowsOther })}{" "}
          <Button className="small" onClick={show}>
            {t.state.showNew}
          </Button>
        </>
      )}
    </div>
  )
}
