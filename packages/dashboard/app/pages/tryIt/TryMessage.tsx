import { useState } from "react"
import { Link } from "wouter"
import { useWrite, withQuery } from "../../api/client.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Code, Facts, Money } from "../../ui/data.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { typedNumber } from "../../ui/typedNumber.ts"
import { Curl } from "./Curl.tsx"
import { InboxMessage } from "./InboxMessage.tsx"
import { Price } from "./Price.tsx"
import { type Recipient, RecipientFields } from "./Recipient.tsx"

interface Sent {
  readonly gatewayId: string
  readonly phoneNumber: string
  readonly balance: string
}

const Result = ({ sent }: { readonly sent: Sent }) => {
  const { t } = useI18n()
  const { host } = useSession()
  const { page } = useOrganization()
  return (
    <div className="result">
      <p role="status" className="notice">
        {t.tryIt.sent}
      </p>
      <Facts
        items={[
          [t.tryIt.gatewayId, <Code key="id">{sent.gatewayId}</Code>],
          [
            t.tryIt.balanceAfter,
            <Money key="balance" amount={sent.balance} currency={host.currency} />,
          ],
        ]}
      />
      {host.inboxUrl !== null && (
        <InboxMessage url={host.inboxUrl} phoneNumber={sent.phoneNumber} />
      )}
      <Link
        className="button"
        href={page(withQuery("messages", { phoneNumber: sent.phoneNumber }))}
      >
        {t.tryIt.showStory}
      </Link>
    </div>
  )
}

/** A number that is still typed has no price of its own. */
const isComplete = (phoneNumber: string): boolean => /^\+\d{8,15}$/.test(phoneNumber)

const TryMessage = () => {
  const { t } = useI18n()
  const { can, host } = useSession()
  const { api } = useOrganization()
  const [recipient, setRecipient] = useState<Recipient>({
    phoneNumber: "",
    channel: host.channels[0] ?? "sms",
    sender: "",
  })
  const [text, setText] = useState("")
  const { sender, channel } = recipient
  const phoneNumber = typedNumber(recipient.phoneNumber)
  const write = useWrite<Sent>(api("messages"), api("balance"), api("ledger"))
  const send = () => {
    const body = { phoneNumber, text, channel, ...(sender === "" ? {} : { sender }) }
    write.mutate({ method: "POST", path: api("messages"), body })
  }
  const publicBody = {
    to: phoneNumber.replace(/^\+/, ""),
    message: text,
    channel,
    ...(sender === "" ? {} : { brand_id: sender }),
  }
  return (
    <div className="columns try">
      <div>
        <Form
          className="panel form"
          error={write.error}
          fields={["phoneNumber", "channel", "sender", "text"]}
          onSubmit={send}
        >
          <RecipientFields value={recipient} onChange={setRecipient} />
          <TextField name="text" label={t.tryIt.text} rows={4} value={text} onChange={setText} />
          <Price message={{ text, channel, ...(isComplete(phoneNumber) && { phoneNumber }) }} />
          <div className="dialog-buttons">
            <Button
              type="submit"
              variant="primary"
              disabled={!can("messages.send")}
              busy={write.isPending}
            >
              {t.tryIt.send}
            </Button>
          </div>
          {!can("messages.send") && <p className="hint">{t.tryIt.needsAdmin}</p>}
        </Form>
        {write.data !== undefined && <Result sent={write.data} />}
      </div>
      <Curl call={{ path: "/messages", body: publicBody }} />
    </div>
  )
}

export default TryMessage
