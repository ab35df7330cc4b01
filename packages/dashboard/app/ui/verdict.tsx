/** The outcome of a message or a verification, in a box above the details. */
import type { MessageHistory, VerificationHistory } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import type { Tone } from "./data.tsx"
import { messageTones, verificationTones } from "./status.tsx"
import { ofMessage, ofVerification } from "./verdicts.ts"

interface BoxProps {
  readonly sentences: ReadonlyArray<string>
  readonly tone: Tone
}

const Box = ({ sentences, tone }: BoxProps) => (
  <div className={`verdict ${tone}`}>
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
)

export const MessageVerdict = ({ message, timeline }: MessageHistory) => (
  <Box tone={messageTones[message.status]} sentences={ofMessage(message, timeline, useI18n())} />
)

export const VerificationVerdict = ({ messages, timeline, verification }: VerificationHistory) => {
  const last = messages.at(-1)
  const { status } = verification
  return (
    <Box
      tone={
        status === "pending" && last !== undefined
          ? messageTones[last.status]
          : verificationTones[status]
      }
      sentences={ofVerification(verification, last, timeline, useI18n())}
    />
  )
}
