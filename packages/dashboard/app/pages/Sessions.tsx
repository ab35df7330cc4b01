/** The sessions of the login of the reader, which the engine keeps. */
import { useState } from "react"
import { useRead, useWrite } from "../api/client.ts"
import type { LoginSessionList } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Time } from "../ui/data.tsx"
import { Confirm } from "../ui/dialog.tsx"
import { NotFound, Page } from "../ui/page.tsx"
import { Loaded } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { browserOf } from "./sessions/browserOf.ts"

const EndAll = () => {
  const { t } = useI18n()
  const [isOpen, setOpen] = useState(false)
  const write = useWrite()
  // The reader's own session has ended as well: the page that comes next is the sign-in.
  const end = () =>
    write.mutate(
      { method: "POST", path: "sessions/end", body: {} },
      { onSuccess: () => location.reload() },
    )
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)}>
        {t.sessions.endAll}
      </Button>
      <Confirm
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t.sessions.endAllTitle}
        text={t.sessions.endAllText}
        action={t.sessions.endAll}
        onConfirm={end}
        busy={write.isPending}
        error={write.error}
      />
    </>
  )
}

type Listed = LoginSessionList["sessions"][number]

const EndOne = ({ id, isCurrent, name }: Listed) => {
  const { t } = useI18n()
  const write = useWrite("sessions")
  const path = `sessions/${encodeURIComponent(id)}/end`
  const onSuccess = () => isCurrent && location.reload()
  return (
    <Button
      className="small"
      busy={write.isPending}
      aria-label={`${t.sessions.end}: ${name ?? ""}`}
      onClick={() => write.mutate({ method: "POST", path, body: {} }, { onSuccess })}
    >
      {t.sessions.end}
    </Button>
  )
}

const SessionTable = () => {
  const { t } = useI18n()
  const query = useRead<LoginSessionList>("sessions")
  return (
    <Page title={t.sessions.title} intro={t.sessions.intro} actions={<EndAll />}>
      <Loaded query={query}>
        {({ sessions }) => (
          <Table
            label={t.sessions.title}
            hasTimes
            rows={sessions}
            rowKey={({ id }) => id}
            columns={[
              ...(sessions.some(({ name }) => name !== null)
                ? [
                    {
                      key: "name",
                      title: t.sessions.person,
                      cell: ({ name, roles }: Listed) =>
                        `${name ?? "—"} (${roles.map((role) => t.role[role]).join(", ")})`,
                    },
                  ]
                : []),
              {
                key: "started",
                title: t.sessions.started,
                cell: ({ startedAt }) => <Time iso={startedAt} minutes />,
              },
              {
                key: "seen",
                title: t.sessions.lastSeen,
                cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} minutes />,
              },
              {
                key: "network",
                title: t.sessions.network,
                cell: ({ network }) => (network === null ? "—" : <Code>{network}</Code>),
              },
              {
                key: "agent",
                title: t.sessions.browser,
                fill: true,
                cell: ({ agent }) =>
                  agent === null ? "—" : <span title={agent}>{browserOf(agent)}</span>,
              },
              {
                key: "current",
                title: t.word.status,
                cell: ({ isCurrent }) =>
                  isCurrent ? <Badge tone="good">{t.sessions.current}</Badge> : "",
              },
              {
                key: "end",
                title: t.word.actions,
                untitled: true,
                align: "end",
                cell: (session) => <EndOne {...session} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  )
}

const Sessions = () => (useSession().hasLoginSessions ? <SessionTable /> : <NotFound />)

export default Sessions
