/** The columns that are encrypted if phone numbers are. */
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Columns from "./columns.ts"

const { identifier, text } = Columns

/** An E.164 or an erased number. Checked when it is written as well: another form could not be read back. */
export const phoneNumber = Columns.secret(
  identifier(PhoneNumber.fromE164),
  PhoneNumber.fromE164,
  "number",
)

/** A text that may contain a phone number in any form: an id of a gateway, or what repeats one. */
export const sealedText = Columns.secret(text, String, "text")
