/** The states of messages and requests, as words and colors. */
import type { Verification, MessageStatus, VerificationState } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { Badge, type Tone } from "./data.tsx"

export const messageTones: Readonly<Record<MessageStatus, Tone>> = {
  pending: "info",
  accepted: "info",
  delivered: "good",
  undelivered: "bad",
  failed: "bad",
  unknown: "warn",
  rejected: "bad",
}

export const verificationTones: Readonly<Record<VerificationState, Tone>> = {
  queued: "info",
  pending: "info",
  verified: "good",
  failed: "bad",
  expired: "warn",
}

export const isMessageStatus = (text: string): text is MessageStatus =>
  Object.hasOwn(messageTones, text)

export const isVerificationState = (text: string): text is VerificationState =>
  Object.hasOwn(verificationTones, text)

export const MessageBadge = ({ status }: { readonly status: MessageStatus }) => {
  const { t } = useI18n()
  return <Badge tone={messageTones[status]}>{t.messageStatus[status]}</Badge>
}

interface VerificationProps {
  readonly status: VerificationState
  readonly failure?: Verification["failure"]
}

export const VerificationBadge = ({ failure = null, status }: VerificationProps) => {
  const { t } = useI18n()
  return (
    <Badge tone={verificationTones[status]}>
      {failure === null ? t.verificationStatus[status] : t.verificationFailure[failure]}
    </Badge>
  )
}
