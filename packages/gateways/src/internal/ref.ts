/**
 * A message's reference as text that vendors echo.
 */
import type { DeliveryReport, ReportedMessage } from "@countersign/core/domain/DeliveryReport"
import { type MessageId, type MessageRef, OrganizationId } from "@countersign/core/domain/Ids"
import { tokenTail } from "./tokenTail.ts"

/**
 * Long enough to distinguish installations that have the same organization ids and share an account or phone.
 */
const markLength = 12

// Organization ids contain no dots, and no part of a URL encodes dots. Signatures cover URLs as written.
const form = /^([A-Za-z0-9_-]{1,64})\.([1-9]\d{0,15})(?:\.([0-9A-Za-z]{12}))?$/

/** `acme.12`: at most 81 characters of `A-Z a-z 0-9 _ - .` */
export const writeRef = ({ sequence, organization }: MessageRef): string =>
  `${organization}.${sequence}`

/** `acme.12.0123456789ab`, with the end of the token: at most 94 characters. */
export const markedRef = ({
  ref,
  token,
}: {
  readonly ref: MessageRef
  readonly token: MessageId
}): string => `${writeRef(ref)}.${tokenTail(token, markLength)}`

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
