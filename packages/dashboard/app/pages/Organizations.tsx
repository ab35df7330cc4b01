import { useState } from "react"
import { Link, useSearchParams } from "wouter"
import { useRead, useWrite, withQuery } from "../api/client.ts"
import type { Organization, OrganizationList, OrganizationSummary } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Money } from "../ui/data.tsx"
import { Confirm, Dialog, FormButtons } from "../ui/dialog.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Pager, Table } from "../ui/table.tsx"
import { useNotify } from "../ui/toasts.tsx"

type Action = "suspend" | "resume"

const pageSize = 50

const useColumns = (
  onAct: (organization: OrganizationSummary) => void,
): ReadonlyArray<Column<OrganizationSummary>> => {
  const { format, t } = useI18n()
  const { has, host } = useSession()
  const money = (amount: string) => <Money amount={amount} currency={host.currency} />
  return [
    {
      key: "name",
      title: t.word.name,
      cell: ({ id, name }) => <Link href={`/org/${encodeURIComponent(id)}`}>{name}</Link>,
    },
    { key: "id", title: t.organizations.id, wide: true, cell: ({ id }) => <Code>{id}</Code> },
    {
      key: "balance",
      title: t.organizations.balance,
      align: "end",
      cell: ({ balance }) => money(balance),
    },
    {
      key: "held",
      title: t.organizations.held,
      align: "end",
      wide: true,
      cell: ({ held }) => money(held),
    },
    {
      key: "keys",
      title: t.organizations.keys,
      align: "end",
      wide: true,
      cell: ({ activeApiKeys }) => format.number(activeApiKeys),
    },
    {
      key: "state",
      title: t.organizations.state,
      cell: ({ hasDefaultSender, id, isSuspended }) =>
        isSuspended ? (
          <Badge tone="bad">{t.organizations.suspended}</Badge>
        ) : hasDefaultSender ? (
          <Badge tone="good">{t.organizations.active}</Badge>
        ) : (
          <Link href={`/org/${encodeURIComponent(id)}/senders`}>
            <Badge tone="warn">{t.organizations.noSender}</Badge>
          </Link>
        ),
    },
    {
      key: "actions",
      title: t.word.actions,
      untitled: true,
      align: "end",
      cell: (organization) =>
        has("admin") && (
          <Button className="small" onClick={() => onAct(organization)}>
            {organization.isSuspended ? t.organizations.resume : t.organizations.suspend}
          </Button>
        ),
    },
  ]
}

const Act = ({
  onClose,
  organization,
}: {
  readonly organization: OrganizationSummary
  readonly onClose: () => void
}) => {
  const { t } = useI18n()
  const write = useWrite<Organization>("organizations")
  const action: Action = organization.isSuspended ? "resume" : "suspend"
  const isSuspend = action === "suspend"
  const path = `organizations/${encodeURIComponent(organization.id)}/${action}`
  return (
    <Confirm
      open
      danger={isSuspend}
      title={fill(isSuspend ? t.organizations.suspendTitle : t.organizations.resumeTitle, {
        name: organization.name,
      })}
      text={isSuspend ? t.organizations.suspendText : t.organizations.resumeText}
      action={t.organizations[action]}
      busy={write.isPending}
      error={write.error}
      onClose={onClose}
      onConfirm={() => write.mutate({ method: "POST", path }, { onSuccess: onClose })}
    />
  )
}

const Create = ({ onClose }: { readonly onClose: () => void }) => {
  const { t } = useI18n()
  const notify = useNotify()
  const [id, setId] = useState("")
  const [name, setName] = useState("")
  const [sms, setSms] = useState("")
  const [whatsapp, setWhatsapp] = useState("")
  const write = useWrite<Organization>("organizations")
  const submit = () => {
    const senders = { ...(sms !== "" && { sms }), ...(whatsapp !== "" && { whatsapp }) }
    const body = { id, ...(name !== "" && { name }), senders }
    const onSuccess = () => {
      notify(t.organizations.created)
      onClose()
    }
    write.mutate({ method: "POST", path: "organizations", body }, { onSuccess })
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t.organizations.create}>
      <Form error={write.error} fields={["id", "name", "senders"]} onSubmit={submit}>
        <TextField
          name="id"
          label={t.organizations.id}
          hint={t.organizations.idHint}
          value={id}
          onChange={setId}
          mono
        />
        <TextField
          name="name"
          label={t.word.name}
          hint={t.organizations.nameHint}
          optional
          value={name}
          onChange={setName}
        />
        <TextField
          name="senders"
          label={t.organizations.smsSender}
          hint={t.organizations.smsSenderHint}
          optional
          value={sms}
          onChange={setSms}
        />
        <TextField
          name="whatsapp"
          label={t.organizations.whatsappSender}
          hint={t.organizations.whatsappSenderHint}
          optional
          value={whatsapp}
          onChange={setWhatsapp}
        />
        <FormButtons action={t.organizations.create} busy={write.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

const Organizations = () => {
  const { t } = useI18n()
  const { has } = useSession()
  const [search] = useSearchParams()
  const after = search.get("after")
  const query = useRead<OrganizationList>(withQuery("organizations", { after, limit: pageSize }), {
    keep: true,
  })
  const [isCreating, setCreating] = useState(false)
  const [acting, setActing] = useState<OrganizationSummary>()
  const columns = useColumns(setActing)
  const create = has("admin") && (
    <Button variant="primary" onClick={() => setCreating(true)}>
      {t.organizations.create}
    </Button>
  )
  return (
    <Page title={t.organizations.title} intro={t.organizations.intro} actions={create}>
      <Loaded query={query}>
        {({ next, organizations }) => (
          <>
            {organizations.length === 0 ? (
              <Empty title={t.organizations.empty} hint={t.organizations.emptyHint} />
            ) : (
              <Table
                label={t.organizations.title}
                columns={columns}
                rows={organizations}
                rowKey={({ id }) => id}
              />
            )}
            <Pager name="after" next={next} />
          </>
        )}
      </Loaded>
      {isCreating && <Create onClose={() => setCreating(false)} />}
      {acting !== undefined && <Act organization={acting} onClose={() => setActing(undefined)} />}
    </Page>
  )
}

export default Organizations
