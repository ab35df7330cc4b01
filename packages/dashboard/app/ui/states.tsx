/** The states of a page without data: loading, empty, or an error, each with the next step. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { ApiError } from "../api/client.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { isShownAt, sentenceOf } from "./problem.tsx"

/** Shown after 200 milliseconds: most answers come before. */
export const Loading = ({ rows = 3 }: { readonly rows?: number }) => {
  const { t } = useI18n()
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">{t.state.loading}</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} className="skeleton" aria-hidden="true" />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly hint?: ReactNode
  readonly children?: ReactNode
}

export const Empty = ({ children, hint, title }: EmptyProps) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {hint !== undefined && <p className="muted">{hint}</p>}
    {children}
  </div>
)

interface FailureProps {
  readonly error: Error
  readonly onRetry: () => void
}

export const Failure = ({ error, onRetry }: FailureProps) => {
  const words = useI18n()
  const { t } = words
  const status = error instanceof ApiError ? error.status : undefined
  return (
    <div className="empty" role="alert">
      <p className="empty-title">{t.state.failed}</p>
      <p className="muted">{sentenceOf(error, words)}</p>
      {status === 404 && (
        <Link className="button" href="/">
          {t.state.home}
        </Link>
      )}
      {status === 401 && <Button onClick={() => location.reload()}>{t.state.reload}</Button>}
      {(status === undefined || ![401, 403, 404].includes(status)) && (
        <Button onClick={onRetry}>{t.action.retry}</Button>
      )}
    </div>
  )
}

/** Data that could not be read again stays, with its time. */
const Stale = ({ query }: { readonly query: UseQueryResult<unknown> }) => {
  const words = useI18n()
  const { format, t } = words
  const { dataUpdatedAt, error, refetch } = query
  if (error === null) return null
  const time = format.minutes(new Date(dataUpdatedAt).toISOString())
  return (
    <div className="notice warn stale" role="status">
      <span>{`${fill(t.state.stale, { time })} ${sentenceOf(error, words)}`}</span>
      <Button className="small" onClick={() => void refetch()}>
        {t.action.retry}
      </Button>
    </div>
  )
}

interface LoadedProps<A> {
  readonly query: UseQueryResult<A>
  readonly children: (data: A) => ReactNode
  /** Filters of the query, which show what is wrong with them. */
  readonly fields?: ReadonlyArray<string>
  /** The height of what is loaded, in rows. */
  readonly rows?: number
}

/** Shows the data of a query once it is there. */
export const Loaded = <A,>({ children, fields = [], query, rows }: LoadedProps<A>) => {
  if (query.data !== undefined)
    return (
      <>
        <Stale query={query} />
        {children(query.data)}
      </>
    )
  if (isShownAt(fields, query.error)) return null
  if (query.error !== null)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />
  return <Loading {...(rows === undefined ? {} : { rows })} />
}
