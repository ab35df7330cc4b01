import { useState } from "react"
import { Link } from "wouter"
import { useWrite } from "../../api/client.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Form, SelectField, TextField } from "../../ui/form.tsx"
import { Problem } from "../../ui/problem.tsx"
import { typedNumber } from "../../ui/typedNumber.ts"
import { Curl, type PublicCall } from "./Curl.tsx"
import { InboxMessage } from "./InboxMessage.tsx"
import { type Recipient, RecipientFields } from "./Recipient.tsx"

interface Sent {
  readonly requestId: string
  readonly phoneNumber: string
  readonly expiresAt: string
}

interface StartProps {
  readonly onSent: (sent: Sent) => void
}

const Start = ({ onSent }: StartProps) => {
  const { t } = useI18n()
  const { can, host } = useSession()
  const { api } = useOrganization()
  const [recipient, setRecipient] = useState<Recipient>({
    phoneNumber: "",
    channel: host.channels[0] ?? "sms",
    sender: "",
  })
  const [locale, setLocale] = useState("")
  const { sender, channel } = recipient
  const phoneNumber = typedNumber(recipient.phoneNumber)
  const write = useWrite<Sent>(api("verifications"), api("messages"), api("balance"))
  const optional = locale === "" ? {} : { locale }
  const send = () => {
    const body = { phoneNumber, channel, ...(sender === "" ? {} : { sender }), ...optional }
    write.mutate({ method: "POST", path: api("verifications"), body }, { onSuccess: onSent })
  }
  const call: PublicCall = {
    path: "/verify",
    body: {
      phone_number: phoneNumber,
      channel,
      ...(sender === "" ? {} : { brand_id: sender }),
      ...optional,
    },
  }
  return (
    <div className="columns try">
      <Form
        className="panel form"
        error={write.error}
        fields={["phoneNumber", "channel", "sender", "locale"]}
        onSubmit={send}
      >
        <RecipientFields value={recipient} onChange={setRecipient} />
        <SelectField
          name="locale"
          label={t.tryIt.locale}
          value={locale}
          onChange={setLocale}
          options={[
            { value: "", label: t.tryIt.localeDefault },
            ...host.locales.map((value) => ({ value, label: value })),
          ]}
        />
        <div className="dialog-buttons">
          <Button
            type="submit"
            variant="primary"
            disabled={!can("verifications.send")}
            busy={write.isPending}
          >
            {t.tryIt.start}
          </Button>
        </div>
        {!can("verifications.send") && <p className="hint">{t.tryIt.needsAdmin}</p>}
      </Form>
      <Curl call={call} />
    </div>
  )
}

interface StepProps {
  readonly sent: Sent
  readonly onEnd: () => void
}

const Check = ({ onEnd, sent }: StepProps) => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const { api, page } = useOrganization()
  const [code, setCode] = useState("")
  const stale = [api("verifications"), api("messages"), api("balance")]
  const check = useWrite<unknown>(...stale)
  const other = useWrite<unknown>(...stale)
  const request = `verifications/${encodeURIComponent(sent.requestId)}`
  const act = (name: "resend" | "cancel", onSuccess?: () => void) =>
    other.mutate(
      { method: "POST", path: api(`${request}/${name}`), body: {} },
      onSuccess === undefined ? {} : { onSuccess },
    )
  const number = sent.phoneNumber
  return (
    <div className="columns try">
      <div className="panel">
        <p className="notice" role="status">
          {check.isSuccess
            ? fill(t.tryIt.verified, { number })
            : `${fill(t.tryIt.codeSent, { number })} ${fill(t.tryIt.validUntil, { time: format.time(sent.expiresAt) })}`}
        </p>
        {host.inboxUrl !== null && <InboxMessage url={host.inboxUrl} phoneNumber={number} />}
        <Form
          error={check.error}
          fields={["code"]}
          onSubmit={() =>
            check.mutate({ method: "POST", path: api(`${request}/check`), body: { code } })
          }
        >
          <TextField
            name="code"
            label={t.tryIt.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            mono
            value={code}
            onChange={setCode}
          />
          <Problem error={other.error} />
          <div className="dialog-buttons">
            <Link className="button" href={page(request)}>
              {t.tryIt.showStory}
            </Link>
            {check.isSuccess ? (
              <Button onClick={onEnd}>{t.tryIt.again}</Button>
            ) : (
              <>
                <Button busy={other.isPending} onClick={() => act("cancel", onEnd)}>
                  {t.tryIt.cancel}
                </Button>
                <Button busy={other.isPending} onClick={() => act("resend")}>
                  {t.tryIt.resend}
                </Button>
                <Button type="submit" variant="primary" busy={check.isPending}>
                  {t.tryIt.check}
                </Button>
              </>
            )}
          </div>
        </Form>
      </div>
      <Curl call={{ path: "/verify/check", body: { request_id: sent.requestId, code } }} />
    </div>
  )
}

/** Walks through a verification: a code is sent, and checked. */
export const TryVerification = () => {
  const [sent, setSent] = useState<Sent>()
  if (sent === undefined) return <Start onSent={setSent} />
  return <Check sent={sent} onEnd={() => setSent(undefined)} />
}
