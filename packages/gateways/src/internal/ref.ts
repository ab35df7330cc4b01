/**
 * A message's reference as text that vendors echo.
 *
 * @module-kind pure
 */
import { type MessageRef, OrganizationId } from "@countersign/core/Ids"

// A dot is in no organization's id, and is not encoded in any part of an address: signatures are over
// addresses as they are written.
const form = /^([A-Za-z0-9_-]{1,64})\.([1-9]\d{0,15})$/

/** `acme.12`: at most 81 characters of `A-Z a-z 0-9 _ - .` */
export const writeRef = ({ number, organization }: MessageRef): string =>
  `${organization}.${number}`

/** What `writeRef` has written; `undefined` for any other text. */
export const readRef = (text: string | null | undefined): MessageRef | undefined => {
  const [, organization, digits] = form.exec(text ?? "") ?? []
  const number = Number(digits)
  return organization !== undefined && Number.isSafeInteger(number)
    ? { organization: OrganizationId(organization), number }
    : undefined
}
