/** What stands where data will be: nothing yet, nothing at all, or an error, each with what to do. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { ApiError } from "../api/client.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { isShownAt, sentenceOf } from "./problem.tsx"

export const Loading = () => {
  const { t } = useI18n()
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">{t.state.loading}</span>
      <span className="skeleton" aria-hidden="true" />
      <span className="skeleton" aria-hidden="true" />
      <span className="skeleton" aria-hidden="true" />
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

interface LoadedProps<A> {
  readonly query: UseQueryResult<A>
  readonly children: (data: A) => ReactNode
  /** Filters of the query, which show what is wrong with them. */
  readonly fields?: ReadonlyArray<string>
}

/** Shows the data of a query once it is there. */
export const Loaded = <A,>({ children, fields = [], query }: LoadedProps<A>) => {
  if (query.data !== undefined) return children(query.data)
  if (isShownAt(fields, query.error)) return null
  if (query.error !== null)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />
  return <Loading />
}
