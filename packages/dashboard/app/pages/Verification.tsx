import { useState } from "react"
import { useParams } from "wouter"
import { useRead, useWrite } from "../api/client.ts"
import type { VerificationHistory } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Code, Facts, Time } from "../ui/data.tsx"
import { ConfirmWrite } from "../ui/confirmWrite.tsx"
import { Dialog, FormButtons } from "../ui/dialog.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Loaded } from "../ui/states.tsx"
import { VerificationBadge } from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { typedNumber } from "../ui/typedNumber.ts"
import { Timeline } from "../ui/timeline.tsx"
import { useNotify } from "../ui/toasts.tsx"
import { VerificationVerdict } from "../ui/verdict.tsx"
import { useMessageColumns } from "./messages/columns.tsx"

type Found = VerificationHistory["verification"]

interface ActionProps {
  readonly verification: Found
  readonly onClose: () => void
}

const Cancel = ({ onClose, verification }: ActionProps) => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const path = api(`verifications/${encodeURIComponent(verification.requestId)}/cancel`)
  return (
    <ConfirmWrite
      title={t.verifications.cancelTitle}
      text={t.verifications.cancelText}
      action={t.verifications.cancel}
      cancel={t.action.close}
      write={{ method: "POST", path }}
      stale={api("verifications")}
      done={t.verifications.cancelled}
      onClose={onClose}
    />
  )
}

const Resend = ({ onClose, verification }: ActionProps) => {
  const { format, t } = useI18n()
  const { api } = useOrganization()
  const { phoneNumber, requestId, resendsRemaining } = verification
  const path = api(`verifications/${encodeURIComponent(requestId)}/resend`)
  return (
    <ConfirmWrite
      title={fill(t.verifications.resendTitle, { number: phoneNumber })}
      text={fill(t.verifications.resendText, { count: format.number(resendsRemaining) })}
      action={t.verifications.resend}
      write={{ method: "POST", path, body: {} }}
      stale={api("verifications")}
      done={t.verifications.resent}
      onClose={onClose}
    />
  )
}

const ResetGuesses = ({ onClose, verification: { phoneNumber } }: ActionProps) => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const notify = useNotify()
  const { masksNumbers } = useSession()
  // A reader who sees masked numbers enters the one that the caller has said.
  const [typed, setTyped] = useState("")
  const [reason, setReason] = useState("")
  const write = useWrite(api("verifications"))
  const submit = () => {
    const onSuccess = () => {
      notify(t.verifications.resetDone)
      onClose()
    }
    const body = { phoneNumber: masksNumbers ? typedNumber(typed) : phoneNumber, reason }
    write.mutate({ method: "POST", path: api("guesses/reset"), body }, { onSuccess })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={fill(t.verifications.resetTitle, { number: phoneNumber })}
      description={t.verifications.resetText}
    >
      <Form
        error={write.error}
        fields={masksNumbers ? ["phoneNumber", "reason"] : ["reason"]}
        onSubmit={submit}
      >
        {masksNumbers && (
          <TextField
            name="phoneNumber"
            label={t.word.phoneNumber}
            type="tel"
            inputMode="tel"
            placeholder="+880…"
            value={typed}
            onChange={setTyped}
          />
        )}
        <TextField
          name="reason"
          label={t.word.reason}
          hint={t.verifications.resetReason}
          value={reason}
          onChange={setReason}
        />
        <FormButtons
          action={t.verifications.reset}
          variant="danger"
          busy={write.isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}

const VerificationFacts = ({ verification }: { readonly verification: Found }) => {
  const { format, t } = useI18n()
  const time = (iso: string | null) => (iso === null ? "—" : <Time iso={iso} exact />)
  const { metadata } = verification
  return (
    <Facts
      items={[
        [
          t.word.status,
          <VerificationBadge
            key="status"
            status={verification.status}
            failure={verification.failure}
          />,
        ],
        [t.word.phoneNumber, <Code key="number">{verification.phoneNumber}</Code>],
        [t.verifications.request, <Code key="request">{verification.requestId}</Code>],
        [t.word.channel, t.channel[verification.channel]],
        [t.word.created, time(verification.createdAt)],
        [t.verifications.expires, time(verification.expiresAt)],
        [t.verifications.verifiedAt, time(verification.verifiedAt)],
        [t.verifications.consumedAt, time(verification.consumedAt)],
        [t.verifications.attempts, format.number(verification.attemptsRemaining)],
        [t.verifications.resends, format.number(verification.resendsRemaining)],
        [t.verifications.purpose, verification.purpose ?? "—"],
        [
          t.verifications.metadata,
          metadata === null ? "—" : <Code key="data">{JSON.stringify(metadata)}</Code>,
        ],
      ]}
    />
  )
}

const Verification = () => {
  const { t } = useI18n()
  const { can } = useSession()
  const { api, page } = useOrganization()
  const { id = "" } = useParams<{ id: string }>()
  const query = useRead<VerificationHistory>(api(`verifications/${encodeURIComponent(id)}`))
  const columns = useMessageColumns()
  const [action, setAction] = useState<"cancel" | "resend" | "reset">()
  const close = () => setAction(undefined)
  const found = query.data?.verification
  const actions = can("verifications.cancel") && found !== undefined && (
    <>
      {can("verifications.resend") && found.status === "pending" && found.resendsRemaining > 0 && (
        <Button onClick={() => setAction("resend")}>{t.verifications.resend}</Button>
      )}
      <Button onClick={() => setAction("reset")}>{t.verifications.reset}</Button>
      {(found.status === "pending" || found.status === "queued") && (
        <Button onClick={() => setAction("cancel")}>{t.verifications.cancel}</Button>
      )}
    </>
  )
  return (
    <Page
      title={
        found === undefined
          ? t.verifications.detail
          : `${t.verifications.detail} · ${found.phoneNumber}`
      }
      up={{ href: page("verifications"), title: t.verifications.title }}
      actions={actions}
    >
      <Loaded query={query}>
        {(history) => {
          const { messages, timeline, verification } = history
          return (
            <>
              <VerificationVerdict {...history} />
              <VerificationFacts verification={verification} />
              <Section title={t.timeline.title}>
                <Timeline entries={timeline} hasMessages={messages.length > 1} />
              </Section>
              <Section title={t.verifications.messages}>
                <Table
                  label={t.verifications.messages}
                  hasTimes
                  columns={columns}
                  rows={messages}
                  rowKey={({ sequence }) => sequence}
                />
              </Section>
              {action === "cancel" && <Cancel verification={verification} onClose={close} />}
              {action === "resend" && <Resend verification={verification} onClose={close} />}
              {action === "reset" && <ResetGuesses verification={verification} onClose={close} />}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

export default Verification
