import { useState } from "react"
import { useLocation } from "wouter"
import { ApiError, useWrite } from "../api/client.ts"
import type { EstimatedMany, SentMany } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { batches as english } from "../i18n/en/batches.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Confirm } from "../ui/dialog.tsx"
import { Form, SelectField, TextField } from "../ui/form.tsx"
import { isoOf } from "../ui/localTime.ts"
import { Page } from "../ui/page.tsx"
import { useNotify } from "../ui/toasts.tsx"
import { asciiDigits } from "../ui/typedNumber.ts"
import { Estimate } from "./batches/Estimate.tsx"
import { FileField } from "./batches/FileField.tsx"
import type { FileProblem, Recipients } from "./batches/recipients.ts"
import { SenderFields } from "./tryIt/Recipient.tsx"

const fields = ["recipients", "text", "channel", "sender", "class", "sendAt", "pace"]

/** A file as it was read, and the request that sends it. */
interface Ready {
  readonly file: Recipients
  readonly text: string
  readonly body: object
}

/** Unique; `crypto.randomUUID` is missing on pages without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")

interface StartProps {
  readonly ready: Ready
  readonly found: EstimatedMany
}

const Start = ({ found, ready }: StartProps) => {
  const { format, t } = useTexts(english)
  const { host } = useSession()
  const { api, page } = useOrganization()
  const [, navigate] = useLocation()
  const notify = useNotify()
  const [isAsking, setAsking] = useState(false)
  const write = useWrite<SentMany>(api("batches"), api("balance"))
  const start = () =>
    write.mutate(
      { method: "POST", path: api("batches"), body: ready.body },
      {
        onSuccess: ({ batchId }) => {
          notify(t.newBatch.started)
          navigate(page(`batches/${encodeURIComponent(batchId)}`))
        },
      },
    )
  return (
    <div className="dialog-buttons">
      <Button variant="primary" onClick={() => setAsking(true)}>
        {t.newBatch.start}
      </Button>
      <Confirm
        open={isAsking}
        danger={false}
        title={fill(t.newBatch.startTitle, {
          count: format.number(found.recipients),
          price: format.money(found.estimate.price, host.currency),
        })}
        text={t.newBatch.startText}
        action={t.newBatch.start}
        busy={write.isPending}
        error={write.error}
        onClose={() => setAsking(false)}
        onConfirm={start}
      />
    </div>
  )
}

const empty = {
  text: "",
  channel: "sms",
  sender: "",
  class: "transactional",
  sendAt: "",
  pace: "",
}

/** A number; other text stays as it is, for the service to refuse. */
const paceOf = (typed: string): number | string => {
  const pace = Number(asciiDigits(typed))
  return Number.isNaN(pace) ? typed : pace
}

const termsOf = ({ pace, sendAt, sender, text, ...rest }: typeof empty) => ({
  ...rest,
  ...(text === "" ? {} : { text }),
  ...(sender === "" ? {} : { sender }),
  ...(sendAt === "" ? {} : { sendAt: isoOf(sendAt) }),
  ...(pace.trim() === "" ? {} : { pace: paceOf(pace) }),
})

const NewBatch = () => {
  const { format, t } = useTexts(english)
  const { has } = useSession()
  const { api, page } = useOrganization()
  const [file, setFile] = useState<File>()
  const [values, setValues] = useState(empty)
  const [problem, setProblem] = useState<ApiError | null>(null)
  const [ready, setReady] = useState<Ready>()
  const estimate = useWrite<EstimatedMany>()
  /** An estimate holds for what was entered before it. */
  const forget = () => {
    setReady(undefined)
    setProblem(null)
    estimate.reset()
  }
  const change = (next: Partial<typeof empty>) => {
    setValues({ ...values, ...next })
    forget()
  }
  const refuse = (code: FileProblem | "noFile") => {
    const recipients = [{ code: `file_${code}`, params: {}, message: t.newBatch[code] }]
    setProblem(new ApiError(422, { problems: { recipients } }))
  }
  const submit = async () => {
    forget()
    if (file === undefined) return refuse("noFile")
    // Most visits read no file.
    const { readRecipients, sendable } = await import("./batches/recipients.ts")
    const read = readRecipients(await file.text())
    if (typeof read === "string") return refuse(read)
    const { text } = values
    const body = {
      ...termsOf(values),
      idempotencyKey: newKey(),
      recipients: sendable(read, text),
    }
    setReady({ file: read, text, body })
    estimate.mutate({ method: "POST", path: api("batch-estimate"), body })
  }
  return (
    <Page
      title={t.newBatch.title}
      intro={t.newBatch.intro}
      up={{ href: page("batches"), title: t.batches.title }}
    >
      <Form
        className="panel form"
        error={problem ?? estimate.error}
        fields={fields}
        disabled={!has("admin")}
        onSubmit={() => void submit()}
      >
        <FileField
          name="recipients"
          label={t.newBatch.file}
          hint={t.newBatch.fileHint}
          accept=".csv,text/csv"
          onChange={(next) => {
            setFile(next)
            forget()
          }}
        />
        <TextField
          name="text"
          label={t.batches.text}
          hint={t.newBatch.textHint}
          rows={4}
          value={values.text}
          onChange={(text) => change({ text })}
        />
        <div className="fields">
          <SenderFields channel={values.channel} sender={values.sender} onChange={change} />
          <SelectField
            name="class"
            label={t.batches.class}
            hint={t.newBatch.classHint}
            value={values.class}
            onChange={(next) => change({ class: next })}
            options={Object.entries(t.messageClass).map(([value, label]) => ({ value, label }))}
          />
          <TextField
            name="sendAt"
            label={t.batches.sendAt}
            hint={`${t.newBatch.sendAtHint} (${format.zone})`}
            type="datetime-local"
            optional
            value={values.sendAt}
            onChange={(sendAt) => change({ sendAt })}
          />
          <TextField
            name="pace"
            label={t.batches.pace}
            hint={t.newBatch.paceHint}
            inputMode="numeric"
            optional
            value={values.pace}
            onChange={(pace) => change({ pace })}
          />
        </div>
        {has("admin") && (
          <div className="dialog-buttons">
            <Button
              type="submit"
              variant={estimate.data === undefined ? "primary" : "secondary"}
              busy={estimate.isPending}
            >
              {t.newBatch.estimate}
            </Button>
          </div>
        )}
      </Form>
      {ready !== undefined && estimate.data !== undefined && (
        <>
          <Estimate file={ready.file} text={ready.text} found={estimate.data} />
          {has("admin") && <Start ready={ready} found={estimate.data} />}
        </>
      )}
    </Page>
  )
}

export default NewBatch
