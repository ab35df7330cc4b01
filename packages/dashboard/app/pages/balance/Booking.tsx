import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { Posting as BookedData } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Dialog, DialogButtons } from "../../ui/dialog.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { useNotify } from "../../ui/toasts.tsx"

export type BookingKind = "top-ups" | "adjustments"

interface Props {
  readonly kind: BookingKind
  readonly onClose: () => void
}

/** Says that the payment was booked before, when, and by whom. */
const Repeat = ({ booked: { currency, entry } }: { readonly booked: BookedData }) => {
  const { format, t } = useI18n()
  return (
    <p className="notice warn" role="status">
      {fill(t.balance.repeat, {
        amount: format.money(entry.amount, currency),
        time: format.time(entry.at),
        actor: entry.actor ?? "—",
      })}
    </p>
  )
}

/** A top-up or an adjustment. Each needs a reason and a payment id. */
const Booking = ({ kind, onClose }: Props) => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [amount, setAmount] = useState("")
  const [note, setNote] = useState("")
  const [paymentId, setPaymentId] = useState("")
  const write = useWrite<BookedData>(
    api("balance"),
    api("movements"),
    api("balances"),
    api("attention"),
    api("statement"),
    "organizations?",
  )
  const isTopUp = kind === "top-ups"
  const submit = () => {
    const onSuccess = ({ balance, currency, isRepeat }: BookedData) => {
      // The sentence about the first booking stays until the reader has seen it.
      if (isRepeat) return
      const values = {
        amount: format.change(amount, currency),
        balance: format.money(balance, currency),
      }
      notify(fill(isTopUp ? t.balance.topUpDone : t.balance.adjustDone, values))
      onClose()
    }
    write.mutate(
      { method: "POST", path: api(kind), body: { amount, note, paymentId } },
      { onSuccess },
    )
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={isTopUp ? t.balance.topUpTitle : t.balance.adjustTitle}
    >
      <Form error={write.error} fields={["amount", "note", "paymentId"]} onSubmit={submit}>
        <TextField
          name="amount"
          label={`${t.word.amount} (${host.currency})`}
          hint={isTopUp ? t.balance.amountHint : t.balance.adjustHint}
          inputMode="decimal"
          value={amount}
          onChange={setAmount}
        />
        <TextField
          name="note"
          label={t.word.reason}
          hint={t.balance.noteHint}
          value={note}
          onChange={setNote}
        />
        <TextField
          name="paymentId"
          label={t.balance.paymentId}
          hint={t.balance.paymentHint}
          value={paymentId}
          onChange={setPaymentId}
        />
        {write.data?.isRepeat === true && <Repeat booked={write.data} />}
        <DialogButtons>
          <Button onClick={onClose}>
            {write.data === undefined ? t.action.cancel : t.action.close}
          </Button>
          <Button type="submit" variant="primary" busy={write.isPending}>
            {isTopUp ? t.balance.topUp : t.balance.adjust}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

export default Booking
