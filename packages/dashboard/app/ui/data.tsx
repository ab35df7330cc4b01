/** How values are shown. */
import { type ReactNode, useEffect, useState } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"

interface TimeProps {
  readonly iso: string
  /** Seconds do not matter. */
  readonly minutes?: boolean
  /** Day and seconds do matter, as in the details of one thing. */
  readonly exact?: boolean
}

/** A time in the reader's zone. Its title has the zone, and the time in UTC. */
export const Time = ({ exact, iso, minutes }: TimeProps) => {
  const { format } = useI18n()
  return (
    <time dateTime={iso} title={format.fullTime(iso)}>
      {format[exact === true ? "exact" : minutes === true ? "minutes" : "time"](iso)}
    </time>
  )
}

interface MoneyProps {
  readonly amount: string
  readonly currency: string
}

export const Money = ({ amount, currency }: MoneyProps) => {
  const { format } = useI18n()
  return <span className="money">{format.money(amount, currency)}</span>
}

/** Ids, numbers and codes: the same characters in every language. */
export const Code = ({ children }: { readonly children: ReactNode }) => (
  <span className="mono" dir="ltr" translate="no">
    {children}
  </span>
)

export type Tone = "good" | "bad" | "warn" | "info" | "neutral"

interface BadgeProps {
  readonly tone: Tone
  readonly children: ReactNode
}

export const Badge = ({ children, tone }: BadgeProps) => (
  <span className={`badge ${tone}`}>{children}</span>
)

interface CopyProps {
  readonly text: string
  readonly onCopy?: () => void
}

/** Copies a text, and says that it has. */
export const Copy = ({ onCopy, text }: CopyProps) => {
  const { t } = useI18n()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 3_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    onCopy?.()
  }
  return (
    <>
      <Button onClick={() => void copy()}>{t.action.copy}</Button>
      <span role="status" className="copied">
        {isCopied ? t.action.copied : ""}
      </span>
    </>
  )
}

interface FactsProps {
  readonly items: ReadonlyArray<readonly [label: string, value: ReactNode]>
}

/** Names and values. */
export const Facts = ({ items }: FactsProps) => (
  <dl className="facts">
    {items.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
