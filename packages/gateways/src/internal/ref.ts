/** Ids of messages that vendors echo. */
import type {
  DeliveryReport,
  ReportedMessage,
} from "@countersign/core/domain/messages/DeliveryReport"
import { type MessageRef, OrganizationId } from "@countersign/core/domain/values/Ids"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"

/** Returns the last letters and digits of a token. They are random and therefore unique. */
export const tokenTail = (token: string, length: number): string =>
  token.replace(/[^A-Za-z0-9]/g, "").slice(-length)

/** Long enough to distinguish installations with the same organization ids on one account or phone. */
const markLength = 12

// Organization ids contain no dots, and no part of a URL encodes dots. Signatures cover URLs as written.
const form = /^([A-Za-z0-9_-]{1,64})\.([1-9]\d{0,15})(?:\.([0-9A-Za-z]{12}))?$/

/** `acme.12`: at most 81 characters of `A-Z a-z 0-9 _ - .` */
export const writeRef = ({ sequence, organization }: MessageRef) => `${organization}.${sequence}`

type Identified = Pick<GatewayMessage, "ref" | "token">

/** The message of a report that this process makes itself, perhaps long after it has sent the message. */
export const reportedMessage = ({ ref, token }: Identified): ReportedMessage => ({ ...ref, token })

/** `acme.12.0123456789ab`, with the end of the token: at most 94 characters. */
export const markedRef = ({ ref, token }: Identified): string =>
  `${writeRef(ref)}.${tokenTail(token, markLength)}`

/**
 * Returns `acme.12.0f3c…`, so that a report identifies the message even if the answer to its dispatch was
 * lost. If the organization's id is too long for that, returns the end of the token.
 */
export const idWithin = (maxLength: number, message: Identified): string => {
  const id = markedRef(message)
  return id.length <= maxLength ? id : tokenTail(message.token, maxLength)
}

/** Parses the output of `writeRef` or `markedRef`; `undefined` for any other text. */
export const readRef = (text: string | null | undefined): ReportedMessage | undefined => {
  const [, organization, digits, token] = form.exec(text ?? "") ?? []
  const number = Number(digits)
  return organization !== undefined && Number.isSafeInteger(number)
    ? {
        organization: OrganizationId(organization),
        sequence: number,
        ...(token === undefined ? undefined : { token }),
      }
    : undefined
}

/** Identifies a report's message: by the reference that the vendor echoes, otherwise by the vendor's id. */
export const messageOf = (
  gateway: string,
  gatewayId: string,
  ref: string | null | undefined,
): DeliveryReport["of"] => {
  const read = readRef(ref)
  return read === undefined
    ? { _tag: "GatewayId", gateway, gatewayId }
    : { _tag: "Message", ...read }
}
