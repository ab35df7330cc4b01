import { useState } from "react"
import { useRead } from "../api/client.ts"
import type { ApiKey, ApiKeyList, CreatedApiKey } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Time } from "../ui/data.tsx"
import { ConfirmWrite } from "../ui/confirmWrite.tsx"
import { Page } from "../ui/page.tsx"
import { SecretDialog } from "../ui/secret.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { CreateKey } from "./apiKeys/CreateKey.tsx"

/** The part of the key's text that is no secret. */
const prefixOf = ({ environment, id }: ApiKey): string => `csk_${environment}_${id.slice(0, 6)}…`

const State = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const { t } = useI18n()
  if (apiKey.revokedAt !== null) return <Badge tone="bad">{t.apiKeys.revoked}</Badge>
  if (apiKey.expiresAt !== null && Date.parse(apiKey.expiresAt) <= Date.now())
    return <Badge tone="warn">{t.apiKeys.expired}</Badge>
  return <Badge tone="good">{t.apiKeys.active}</Badge>
}

const Scopes = ({ scopes }: Pick<ApiKey, "scopes">) => {
  const { t } = useI18n()
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
  const { t } = useI18n()
  const { has } = useSession()
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
      key: "used",
      title: t.apiKeys.lastUsed,
      wide: true,
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
        has("admin") &&
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

interface RevokeProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

const Revoke = ({ apiKey, onClose }: RevokeProps) => {
  const { t } = useI18n()
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
  const { t } = useI18n()
  const { has } = useSession()
  const { api } = useOrganization()
  const query = useRead<ApiKeyList>(api("api-keys?limit=1000"))
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedApiKey>()
  const [revoking, setRevoking] = useState<ApiKey>()
  const columns = useColumns(setRevoking)
  const create = has("admin") && (
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
            <Table
              label={t.apiKeys.title}
              hasTimes
              columns={columns}
              rows={apiKeys.toReversed()}
              rowKey={({ id }) => id}
            />
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
