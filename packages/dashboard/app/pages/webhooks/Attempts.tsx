/** The requests to a receiver. Each opens in its place. */
import { useState } from "react"
import { useSearchParams } from "wouter"
import { useRead, useWrite, withQuery } from "../../api/client.ts"
import type {
  Webhook,
  WebhookAttempt,
  WebhookAttemptDetails,
  WebhookAttempts,
} from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { activity as english } from "../../i18n/en/activity.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Badge, Code, Time } from "../../ui/data.tsx"
import { elapsed } from "../../ui/elapsed.ts"
import { Section } from "../../ui/page.tsx"
import { Empty, Loaded } from "../../ui/states.tsx"
import { Pager } from "../../ui/table.tsx"
import { Toggle } from "../../ui/toggle.tsx"
import { useNotify } from "../../ui/toasts.tsx"

interface OfWebhook {
  readonly webhook: Webhook
}

const usePath = ({ id }: Webhook): string =>
  useOrganization().api(`webhooks/${encodeURIComponent(id)}`)

const SendAgain = ({ sequence, webhook }: OfWebhook & Pick<WebhookAttempt, "sequence">) => {
  const { format, t } = useTexts(english)
  const path = usePath(webhook)
  const notify = useNotify()
  const write = useWrite<{ readonly isDelivered: boolean; readonly error: string | null }>(path)
  const number = format.number(sequence)
  const submit = () =>
    write.mutate(
      { method: "POST", path: `${path}/resend`, body: { sequence } },
      {
        onSuccess: ({ error, isDelivered }) =>
          notify(
            isDelivered
              ? fill(t.activity.sentAgain, { sequence: number })
              : fill(t.activity.notTaken, { sequence: number, error: error ?? "" }),
          ),
      },
    )
  return (
    <div>
      <Button busy={write.isPending} onClick={submit}>
        {t.activity.sendAgain}
      </Button>
      {write.error !== null && (
        <span role="alert" className="outcome bad">
          {write.error.message}
        </span>
      )}
    </div>
  )
}

/** A JSON text with a line for each member. */
const indented = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const Details = ({ attempt, webhook }: OfWebhook & { readonly attempt: WebhookAttempt }) => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const path = usePath(webhook)
  const query = useRead<WebhookAttemptDetails>(`${path}/attempts/${attempt.position}`)
  const { answer, error, sequence, status } = attempt
  return (
    <div className="attempt">
      <Loaded query={query}>
        {({ request }) => (
          <section>
            <h3>{t.activity.request}</h3>
            {request === null ? (
              <p className="muted">{t.activity.gone}</p>
            ) : (
              <pre tabIndex={0}>
                {[
                  `POST ${request.url}`,
                  ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
                  "",
                  indented(request.body),
                ].join("\n")}
              </pre>
            )}
          </section>
        )}
      </Loaded>
      <section>
        <h3>{t.activity.answer}</h3>
        {status === null ? (
          <p>{fill(t.activity.noAnswer, { error: error ?? "" })}</p>
        ) : answer === null ? (
          <p className="muted">{t.activity.emptyAnswer}</p>
        ) : (
          <pre tabIndex={0}>{answer}</pre>
        )}
      </section>
      {can("webhooks.resend") && <SendAgain sequence={sequence} webhook={webhook} />}
    </div>
  )
}

const Attempt = ({ attempt, webhook }: OfWebhook & { readonly attempt: WebhookAttempt }) => {
  const { format, t } = useTexts(english)
  const [isOpen, setOpen] = useState(false)
  const { at, error, millis, nextAt, number, sequence, status, type } = attempt
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span>
            <Badge tone={error === null ? "good" : "bad"}>{status ?? t.webhooks.noAnswer}</Badge>
          </span>
          <span>
            {t.eventType[type]} <Code>{sequence}</Code>
          </span>
          <span className="muted">
            {fill(t.activity.attempt, { number: format.number(number) })}
            {nextAt !== null && `, ${fill(t.activity.nextAt, { time: format.relative(nextAt) })}`}
          </span>
          <span className="end">{format.duration(elapsed(millis))}</span>
          <span className="end">
            <Time iso={at} />
          </span>
        </summary>
        {isOpen && <Details attempt={attempt} webhook={webhook} />}
      </details>
    </li>
  )
}

const results = ["taken", "failed"] as const

export const Attempts = ({ webhook }: OfWebhook) => {
  const { format, t } = useTexts(english)
  const [search, setSearch] = useSearchParams()
  const path = usePath(webhook)
  const result = results.find((one) => one === search.get("result"))
  const event = search.get("event")
  const query = useRead<WebhookAttempts>(
    withQuery(`${path}/attempts`, { result, event, cursor: search.get("cursor"), limit: 50 }),
    { every: 15_000, keep: true },
  )
  const choose = (next: string) =>
    setSearch((before) => {
      const after = new URLSearchParams(before)
      for (const name of ["cursor", "trail", "result"]) after.delete(name)
      if (next !== "all") after.set("result", next)
      return after
    })
  const isFiltered = result !== undefined || event !== null
  return (
    <Section
      title={t.activity.attempts}
      actions={
        <Toggle
          label={t.activity.result}
          value={result ?? "all"}
          onChange={choose}
          options={[
            { value: "all", label: t.activity.all },
            ...results.map((value) => ({ value, label: t.activity[value] })),
          ]}
        />
      }
    >
      <Loaded query={query}>
        {({ attempts, next }) => (
          <>
            {attempts.length === 0 ? (
              <Empty title={isFiltered ? t.activity.noneMatches : t.activity.noAttempts} />
            ) : (
              <ul className="attempts">
                {attempts.map((attempt) => (
                  <Attempt key={attempt.position} attempt={attempt} webhook={webhook} />
                ))}
              </ul>
            )}
            <p className="table-note">{fill(t.word.timesIn, { zone: format.zone })}</p>
            <Pager next={next} busy={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
    </Section>
  )
}
