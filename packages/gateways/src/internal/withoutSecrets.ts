import { withoutSecret } from "@countersign/core/domain/messages/Redaction"
import * as Redacted from "effect/Redacted"

/** Removes the secrets of the account from a vendor's text. The engine removes those of the message. */
export const withoutSecrets = (
  text: string,
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
): string =>
  secrets.reduce((rest, secret) => withoutSecret(rest, Redacted.value(secret), "[secret]"), text)
