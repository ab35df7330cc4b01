/** The authentication template of a code, in WhatsApp's own format. */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Redacted from "effect/Redacted"
import type { TemplateOptions } from "../VendorOptions.ts"

const defaultLanguages: Readonly<Record<string, string>> = { "en-us": "en_US", "bn-bd": "bn" }

/** Meta prescribes the text of such templates, and does not approve other templates for codes. */
export const noPayment = "The template of codes cannot name a payment"

/**
 * Fills a code into the template. `policy` is a part of the language in some interfaces. Returns the reason if
 * there is no code or no template for the language, or if the code approves a payment.
 */
export const authenticationTemplate = (
  { languages = defaultLanguages, name }: TemplateOptions,
  { code, locale = "", payment }: GatewayMessage,
  policy: { readonly policy?: "deterministic" },
) => {
  const language = languages[locale]
  if (code === undefined) return "The template needs a code"
  if (payment !== undefined) return noPayment
  if (language === undefined) return `No template for the language ${locale}`
  const parameters = [{ type: "text", text: Redacted.value(code) }]
  return {
    type: "template",
    template: {
      name,
      language: { ...policy, code: language },
      // The code appears twice: in the body, and in the button that copies or fills it in.
      components: [
        { type: "body", parameters },
        { type: "button", sub_type: "url", index: "0", parameters },
      ],
    },
  }
}
