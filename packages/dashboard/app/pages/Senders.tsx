import { useState } from "react"
import { useRead, useWrite } from "../api/client.ts"
import type { Sender, SenderList } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { senders as english } from "../i18n/en/senders.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, type Tone } from "../ui/data.tsx"
import { ConfirmWrite } from "../ui/confirmWrite.tsx"
import { Page } from "../ui/page.tsx"
import { Problem } from "../ui/problem.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { EditSender, useKindNames } from "./senders/EditSender.tsx"

const tones: Readonly<Record<Sender["status"], Tone>> = {
  pending: "warn",
  approved: "good",
  rejected: "bad",
  withdrawn: "neutral",
}

interface ActionsProps {
  readonly brand: Sender
  readonly onEdit: () => void
  readonly onWithdraw: () => void
  readonly onDecide: (status: "approved" | "rejected") => void
}

const Actions = ({ brand, onDecide, onEdit, onWithdraw }: ActionsProps) => {
  const { t } = useTexts(english)
  const { has, isOperator } = useSession()
  if (!has("admin") || brand.status === "withdrawn") return null
  const named = (action: string) => ({
    "aria-label": `${action}: ${brand.sender}`,
    className: "small",
  })
  return (
    <div className="row-actions">
      {isOperator && brand.status !== "approved" && (
        <Button {...named(t.senders.approve)} onClick={() => onDecide("approved")}>
          {t.senders.approve}
        </Button>
      )}
      {isOperator && brand.status === "pending" && (
        <Button {...named(t.senders.reject)} onClick={() => onDecide("rejected")}>
          {t.senders.reject}
        </Button>
      )}
      <Button {...named(t.action.edit)} onClick={onEdit}>
        {t.action.edit}
      </Button>
      <Button {...named(t.senders.withdraw)} onClick={onWithdraw}>
        {t.senders.withdraw}
      </Button>
    </div>
  )
}

const Withdraw = ({ brand, onClose }: { readonly brand: Sender; readonly onClose: () => void }) => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  return (
    <ConfirmWrite
      title={fill(t.senders.withdrawTitle, { sender: brand.sender })}
      text={t.senders.withdrawText}
      action={t.senders.withdraw}
      write={{ method: "POST", path: api(`brands/${encodeURIComponent(brand.id)}/withdraw`) }}
      stale={api("brands")}
      done={t.senders.withdrawn}
      onClose={onClose}
    />
  )
}

type Open =
  | { readonly what: "edit"; readonly brand?: Sender }
  | { readonly what: "withdraw"; readonly brand: Sender }

const useColumns = (
  open: (what: Open) => void,
  decide: (brand: Sender, status: Sender["status"]) => void,
) => {
  const { t } = useTexts(english)
  const kinds = useKindNames()
  const columns: ReadonlyArray<Column<Sender>> = [
    { key: "sender", title: t.senders.sender, cell: ({ sender }) => <strong>{sender}</strong> },
    { key: "kind", title: t.senders.kind, cell: ({ kind }) => kinds[kind] },
    {
      key: "status",
      title: t.word.status,
      cell: ({ status }) => <Badge tone={tones[status]}>{t.brandStatus[status]}</Badge>,
    },
    {
      key: "default",
      title: t.senders.isDefault,
      cell: ({ isDefault }) => (isDefault ? <Badge tone="info">{t.senders.isDefault}</Badge> : "—"),
    },
    { key: "id", title: t.word.id, extra: true, cell: ({ id }) => <Code>{id}</Code> },
    {
      key: "actions",
      title: t.word.actions,
      untitled: true,
      align: "end",
      cell: (brand) => (
        <Actions
          brand={brand}
          onEdit={() => open({ what: "edit", brand })}
          onWithdraw={() => open({ what: "withdraw", brand })}
          onDecide={(status) => decide(brand, status)}
        />
      ),
    },
  ]
  return columns
}

const Senders = () => {
  const { t } = useTexts(english)
  const { has, isOperator } = useSession()
  const { api } = useOrganization()
  const query = useRead<SenderList>(api("brands?limit=1000"))
  const [opened, setOpened] = useState<Open>()
  const write = useWrite(api("brands"))
  const decide = ({ id, isDefault, kind, sender }: Sender, status: Sender["status"]) =>
    write.mutate({
      method: "PUT",
      path: api(`brands/${encodeURIComponent(id)}`),
      body: { kind, sender, isDefault, status },
    })
  const columns = useColumns(setOpened, decide)
  const close = () => setOpened(undefined)
  const add = has("admin") && (
    <Button variant="primary" onClick={() => setOpened({ what: "edit" })}>
      {t.senders.add}
    </Button>
  )
  return (
    <Page title={t.senders.title} intro={t.senders.intro} actions={add}>
      {!isOperator && <p className="notice">{t.senders.pendingHint}</p>}
      <Problem error={write.error} />
      <Loaded query={query}>
        {({ brands }) =>
          brands.length === 0 ? (
            <Empty title={t.senders.empty} hint={t.senders.emptyHint} />
          ) : (
            <Table
              label={t.senders.title}
              columns={columns}
              rows={brands}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      {opened?.what === "edit" && (
        <EditSender brand={opened.brand} brands={query.data?.brands ?? []} onClose={close} />
      )}
      {opened?.what === "withdraw" && <Withdraw brand={opened.brand} onClose={close} />}
    </Page>
  )
}

export default Senders
