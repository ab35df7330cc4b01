import { useMutation } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { useLocation } from "wouter"
import { ApiError, send, useWrite } from "../api/client.ts"
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
  /** In the reader's zone; empty: at once. */
  readonly sendAt: string
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
        text={
          ready.sendAt === ""
            ? t.newBatch.startText
            : fill(t.newBatch.startTextAt, { time: format.minutes(isoOf(ready.sendAt)) })
        }
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

/** The problem of the file, in the form of the service's problems of fields. */
const refusal = (code: FileProblem | "noFile" | "gone", t: typeof english): ApiError => {
  const recipients = [{ code: `file_${code}`, params: {}, message: t.newBatch[code] }]
  return new ApiError(422, { problems: { recipients } })
}

interface Entered {
  readonly file: File | undefined
  readonly values: typeof empty
}

/** Reads the file, and asks for the estimate. `reset` forgets it, also one that is under way. */
const useEstimate = () => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  // The same batch keeps its key: a start that got no answer may have been made.
  const last = useRef({ batch: "", key: "" })
  return useMutation<{ readonly ready: Ready; readonly found: EstimatedMany }, Error, Entered>({
    mutationFn: async ({ file: given, values }) => {
      if (given === undefined) throw refusal("noFile", t)
      // Most visits read no file.
      const { readRecipients, sendable } = await import("./batches/recipients.ts")
      const content = await given.text().catch(() => {
        throw refusal("gone", t)
      })
      const file = readRecipients(content)
      if (typeof file === "string") throw refusal(file, t)
      const { text } = values
      const recipients = sendable(file, text)
      const terms = { ...termsOf(values), recipients }
      const batch = JSON.stringify(terms)
      if (batch !== last.current.batch) last.current = { batch, key: newKey() }
      const body = { ...terms, idempotencyKey: last.current.key }
      const path = api("batch-estimate")
      const found = await send<EstimatedMany>({ method: "POST", path, body })
      return { ready: { file, text, sendAt: values.sendAt, body }, found }
    },
  })
}

const NewBatch = () => {
  const { format, t } = useTexts(english)
  const { can } = useSession()
  const { page } = useOrganization()
  const [file, setFile] = useState<File>()
  const [values, setValues] = useState(empty)
  const estimate = useEstimate()
  /** An estimate holds for what was entered before it. */
  const change = (next: Partial<typeof empty>) => {
    setValues({ ...values, ...next })
    estimate.reset()
  }
  return (
    <Page
      title={t.newBatch.title}
      intro={t.newBatch.intro}
      up={{ href: page("batches"), title: t.batches.title }}
    >
      <Form
        className="panel form"
        error={estimate.error}
        fields={fields}
        disabled={!can("batches.estimate")}
        onSubmit={() => estimate.mutate({ file, values })}
      >
        <FileField
          name="recipients"
          label={t.newBatch.file}
          hint={t.newBatch.fileHint}
          accept=".csv,text/csv"
          onChange={(next) => {
            setFile(next)
            estimate.reset()
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
        {can("batches.estimate") && (
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
      {estimate.data !== undefined && (
        <>
          <Estimate {...estimate.data.ready} found={estimate.data.found} />
          {can("batches.send") && <Start {...estimate.data} />}
        </>
      )}
    </Page>
  )
}

export default NewBatch
