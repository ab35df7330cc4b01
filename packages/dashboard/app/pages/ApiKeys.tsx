import { useState } from "react"
import { useRead } from "../api/client.ts"
import type { ApiKey, ApiKeyList, CreatedApiKey } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { apiKeys as english } from "../i18n/en/apiKeys.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Time } from "../ui/data.tsx"
import { ConfirmWrite } from "../ui/confirmWrite.tsx"
import { Folded } from "../ui/folded.tsx"
import { Page } from "../ui/page.tsx"
import { SecretDialog } from "../ui/secret.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { CreateKey } from "./apiKeys/CreateKey.tsx"

/** The part of the key's text that is no secret. */
const prefixOf = ({ environment, id }: ApiKey): string => `csk_${environment}_${id.slice(0, 6)}…`

const idleMillis = 30 * 86_400_000

/** Whether a key that works was not used for 30 days. */
const isIdle = ({ createdAt, lastUsedAt }: ApiKey): boolean =>
  Date.parse(lastUsedAt ?? createdAt) < Date.now() - idleMillis

const isOver = ({ expiresAt, revokedAt }: ApiKey): boolean =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now())

const State = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const { t } = useTexts(english)
  if (apiKey.revokedAt !== null) return <Badge tone="bad">{t.apiKeys.revoked}</Badge>
  if (apiKey.expiresAt !== null && Date.parse(apiKey.expiresAt) <= Date.now())
    return <Badge tone="warn">{t.apiKeys.expired}</Badge>
  if (isIdle(apiKey)) return <Badge tone="neutral">{t.apiKeys.idle}</Badge>
  return <Badge tone="good">{t.apiKeys.active}</Badge>
}

const Scopes = ({ scopes }: Pick<ApiKey, "scopes">) => {
  const { t } = useTexts(english)
  if (scopes === null) return t.apiKeys.everything
  return (
    <span className="chips">
      {scopes.map((scope) => (
        <Code key={scope}>{scope}</Code>
      ))}
    </span>
  )
}

const useColumns = (onRevoke: (key: ApiKey) => void): ReadonlyArray<Column<ApiKey>> => {
  const { format, t } = useTexts(english)
  const { can } = useSession()
  const time = (iso: string | null) =>
    iso === null ? <span className="muted">{t.word.never}</span> : <Time iso={iso} minutes />
  return [
    { key: "name", title: t.word.name, cell: ({ name }) => <strong>{name}</strong> },
    {
      key: "prefix",
      title: t.apiKeys.prefix,
      wide: true,
      cell: (key) => <Code>{prefixOf(key)}</Code>,
    },
    {
      key: "scopes",
      title: t.apiKeys.scopes,
      wide: true,
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    { key: "created", title: t.word.created, wide: true, cell: ({ createdAt }) => time(createdAt) },
    {
      key: "creator",
      title: t.apiKeys.creator,
      extra: true,
      cell: ({ createdBy }) => createdBy || "—",
    },
    {
      key: "requests",
      title: t.apiKeys.requests,
      align: "end",
      wide: true,
      cell: ({ requests }) => format.number(requests),
    },
    {
      key: "used",
      title: t.apiKeys.lastUsed,
      cell: ({ lastUsedAt }) => time(lastUsedAt),
    },
    {
      key: "expires",
      title: t.apiKeys.expires,
      wide: true,
      cell: ({ expiresAt }) => time(expiresAt),
    },
    { key: "state", title: t.apiKeys.state, cell: (key) => <State apiKey={key} /> },
    {
      key: "actions",
      title: t.word.actions,
      untitled: true,
      align: "end",
      cell: (key) =>
        can("apiKeys.revoke") &&
        key.revokedAt === null && (
          <Button
            className="small"
            onClick={() => onRevoke(key)}
            aria-label={`${t.apiKeys.revoke}: ${key.name}`}
          >
            {t.apiKeys.revoke}
          </Button>
        ),
    },
  ]
}

interface KeysProps extends Pick<ApiKeyList, "apiKeys"> {
  readonly columns: ReadonlyArray<Column<ApiKey>>
}

/** The keys that work, and behind their number those that do not any more. */
const Keys = ({ apiKeys, columns }: KeysProps) => {
  const { format, t } = useTexts(english)
  const live = apiKeys.filter((key) => !isOver(key))
  const over = apiKeys.filter(isOver)
  const table = (label: string, rows: ReadonlyArray<ApiKey>) => (
    <Table label={label} hasTimes columns={columns} rows={rows} rowKey={({ id }) => id} />
  )
  return (
    <>
      {live.length === 0 ? (
        <Empty title={t.apiKeys.noneWorks} hint={t.apiKeys.emptyHint} />
      ) : (
        table(t.apiKeys.title, live)
      )}
      {over.length > 0 && (
        <Folded title={fill(t.apiKeys.over, { count: format.number(over.length) })}>
          {table(t.apiKeys.overTitle, over)}
        </Folded>
      )}
    </>
  )
}

interface RevokeProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

const Revoke = ({ apiKey, onClose }: RevokeProps) => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  return (
    <ConfirmWrite
      title={fill(t.apiKeys.revokeTitle, { name: apiKey.name })}
      text={t.apiKeys.revokeText}
      action={t.apiKeys.revoke}
      write={{ method: "POST", path: api(`api-keys/${encodeURIComponent(apiKey.id)}/revoke`) }}
      stale={api("api-keys")}
      done={t.apiKeys.revokedNotice}
      onClose={onClose}
    />
  )
}

const ApiKeys = () => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const { api } = useOrganization()
  const query = useRead<ApiKeyList>(api("api-keys?limit=1000"))
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedApiKey>()
  const [revoking, setRevoking] = useState<ApiKey>()
  const columns = useColumns(setRevoking)
  const create = can("apiKeys.create") && (
    <Button variant="primary" onClick={() => setCreating(true)}>
      {t.apiKeys.create}
    </Button>
  )
  return (
    <Page title={t.apiKeys.title} intro={t.apiKeys.intro} actions={create}>
      <Loaded query={query}>
        {({ apiKeys }) =>
          apiKeys.length === 0 ? (
            <Empty title={t.apiKeys.empty} hint={t.apiKeys.emptyHint} />
          ) : (
            <Keys apiKeys={apiKeys.toReversed()} columns={columns} />
          )
        }
      </Loaded>
      {isCreating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false)
            setCreated(key)
          }}
        />
      )}
      {created !== undefined && (
        <SecretDialog
          title={t.apiKeys.newTitle}
          text={t.apiKeys.newText}
          lost={t.apiKeys.leaveText}
          label={t.apiKeys.newLabel}
          secret={created.key}
          onClose={() => setCreated(undefined)}
        />
      )}
      {revoking !== undefined && (
        <Revoke apiKey={revoking} onClose={() => setRevoking(undefined)} />
      )}
    </Page>
  )
}

export default ApiKeys
