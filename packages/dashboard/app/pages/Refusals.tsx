import type { Refusal, RefusalPage } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { Search } from "../ui/search.tsx"
import { causeText } from "./refused/causes.ts"
import { useRefusalColumns } from "./refused/columns.tsx"

/** The codes that a refused call may have, the likeliest first. */
const codes: ReadonlyArray<Refusal["code"]> = [
  "rate_limited",
  "invalid_request",
  "insufficient_balance",
  "too_many_pending",
  "not_on_whatsapp",
  "sender_unusable",
  "resends_exhausted",
  "request_not_found",
  "request_expired",
  "already_verified",
  "attempts_exhausted",
  "idempotency_mismatch",
  "unauthorized",
  "insufficient_scope",
  "address_not_allowed",
]

const Refusals = () => {
  const { t } = useI18n()
  const options = codes.map((code) => ({
    value: code,
    label: causeText({ code, reason: null }, t),
  }))
  return (
    <Search
      path="refusals"
      cursorName="cursor"
      texts={t.refused}
      filters={[
        { name: "phoneNumber", label: t.word.phoneNumber, kind: "number" },
        { name: "codes", label: t.refused.cause, kind: "select", options },
        { name: "from", label: t.word.from, kind: "time" },
        { name: "to", label: t.word.to, kind: "time" },
      ]}
      columns={useRefusalColumns()}
      rowsOf={({ refusals }: RefusalPage) => refusals}
      rowKey={({ sequence }) => sequence}
    />
  )
}

export default Refusals
