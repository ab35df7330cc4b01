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
import { Dialog, FormButtons } from "../ui/dialog.tsx"
import { Folded } from "../ui/folded.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { MoreMenu } from "../ui/MoreMenu.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Problem } from "../ui/problem.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { useNotify } from "../ui/toasts.tsx"
import { EditSender, useKindNames } from "./senders/EditSender.tsx"

const tones: Readonly<Record<Sender["status"], Tone>> = {
  pending: "warn",
  approved: "good",
  rejected: "bad",
  withdrawn: "neutral",
}

type Action = "approve" | "reject" | "edit" | "withdraw"

interface ActionsProps {
  readonly brand: Sender
  readonly onAct: (action: Action) => void
}

const Actions = ({ brand, onAct }: ActionsProps) => {
  const { t } = useTexts(english)
  const { can, isOperator } = useSession()
  if (!can("brands.replace") || brand.status === "withdrawn") return null
  const names = {
    approve: t.senders.approve,
    reject: t.senders.reject,
    edit: t.action.edit,
    withdraw: t.senders.withdraw,
  }
  const isOpen = isOperator && brand.status === "pending"
  const items: ReadonlyArray<Action> = [
    ...(isOperator && brand.status === "rejected" ? (["approve"] as const) : []),
    ...(isOperator && brand.status === "approved" ? (["reject"] as const) : []),
    "edit",
    "withdraw",
  ]
  return (
    <div className="row-actions">
      {isOpen &&
        (["approve", "reject"] as const).map((action) => (
          <Button
            key={action}
            className="small"
            aria-label={`${names[action]}: ${brand.sender}`}
            onClick={() => onAct(action)}
          >
            {names[action]}
          </Button>
        ))}
      <MoreMenu
        label={fill(t.senders.more, { sender: brand.sender })}
        items={items.map((action) => ({ name: names[action], onChoose: () => onAct(action) }))}
      />
    </div>
  )
}

/** The path of a sender, and what a decision on it keeps. */
const useDecision = () => {
  const { api } = useOrganization()
  return ({ class: messageClass, id, isDefault, kind, sender }: Sender, changes: object) => ({
    method: "PUT" as const,
    path: api(`brands/${encodeURIComponent(id)}`),
    body: { kind, sender, isDefault, class: messageClass, ...changes },
  })
}

const Reject = ({ brand, onClose }: { readonly brand: Sender; readonly onClose: () => void }) => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const notify = useNotify()
  const decision = useDecision()
  const [reason, setReason] = useState("")
  const write = useWrite(api("brands"))
  const { sender } = brand
  const submit = () =>
    write.mutate(decision(brand, { status: "rejected", reason: reason.trim() || null }), {
      onSuccess: () => {
        notify(fill(t.senders.rejected, { sender }))
        onClose()
      },
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={fill(t.senders.rejectTitle, { sender })}
      description={t.senders.rejectText}
    >
      <Form error={write.error} fields={["reason"]} onSubmit={submit}>
        <TextField
          name="reason"
          label={t.senders.rejectReason}
          hint={t.senders.rejectReasonHint}
          maxLength={200}
          value={reason}
          onChange={setReason}
        />
        <FormButtons
          action={t.senders.reject}
          variant="danger"
          busy={write.isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
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
  | { readonly what: "withdraw" | "reject"; readonly brand: Sender }

const useColumns = (open: (what: Open) => void, approve: (brand: Sender) => void) => {
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
      key: "reason",
      title: t.word.reason,
      wide: true,
      fill: true,
      cell: ({ reason }) => reason ?? "—",
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
          onAct={(what) => (what === "approve" ? approve(brand) : open({ what, brand }))}
        />
      ),
    },
  ]
  return columns
}

/** The default first, then those that work. */
const order = ({ isDefault, status }: Sender): number =>
  isDefault ? 0 : status === "approved" ? 1 : status === "pending" ? 2 : 3

interface ByChannelProps extends Pick<SenderList, "brands"> {
  readonly columns: ReadonlyArray<Column<Sender>>
}

const ByChannel = ({ brands, columns }: ByChannelProps) => {
  const { format, t } = useTexts(english)
  const inUse = brands.filter(({ status }) => status !== "withdrawn")
  const withdrawn = brands.filter(({ status }) => status === "withdrawn")
  const table = (label: string, rows: ReadonlyArray<Sender>) => (
    <Table
      label={label}
      columns={columns}
      rows={rows.toSorted((a, b) => order(a) - order(b))}
      rowKey={({ id }) => id}
    />
  )
  return (
    <>
      {(["sms", "whatsapp"] as const).map((channel) => {
        const rows = inUse.filter(({ kind }) => (kind === "whatsapp") === (channel === "whatsapp"))
        return (
          rows.length > 0 && (
            <Section key={channel} title={t.channel[channel]}>
              {!rows.some(({ isDefault, status }) => isDefault && status === "approved") && (
                <p className="notice warn">{t.senders.noDefault}</p>
              )}
              {table(t.channel[channel], rows)}
            </Section>
          )
        )
      })}
      {withdrawn.length > 0 && (
        <Folded title={fill(t.senders.withdrawnOnes, { count: format.number(withdrawn.length) })}>
          {table(t.brandStatus.withdrawn, withdrawn)}
        </Folded>
      )}
    </>
  )
}

const Senders = () => {
  const { t } = useTexts(english)
  const { can, isOperator } = useSession()
  const { api } = useOrganization()
  const query = useRead<SenderList>(api("brands?limit=1000"))
  const [opened, setOpened] = useState<Open>()
  const write = useWrite(api("brands"))
  const decision = useDecision()
  const columns = useColumns(setOpened, (brand) =>
    write.mutate(decision(brand, { status: "approved" })),
  )
  const close = () => setOpened(undefined)
  const add = can("brands.create") && (
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
            <ByChannel brands={brands} columns={columns} />
          )
        }
      </Loaded>
      {opened?.what === "edit" && (
        <EditSender brand={opened.brand} brands={query.data?.brands ?? []} onClose={close} />
      )}
      {opened?.what === "reject" && <Reject brand={opened.brand} onClose={close} />}
      {opened?.what === "withdraw" && <Withdraw brand={opened.brand} onClose={close} />}
    </Page>
  )
}

export default Senders
