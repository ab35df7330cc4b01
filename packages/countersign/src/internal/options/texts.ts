import { channels } from "@countersign/core/domain/values/Channel"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Templates from "@countersign/core/text/Templates"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as WebOtp from "@countersign/core/text/WebOtp"
import { attempt, refuse } from "./check.ts"
import type { Texts, TextTemplate, VerificationOptions } from "../types/options.ts"

const lined = (template: Templates.Template, own: WebOtp.Lines, all: Texts): Templates.Template => {
  const { androidHash = all.androidHash, domain = all.domain } = own
  return domain === undefined && androidHash === undefined
    ? template
    : WebOtp.withLines(template, { domain, androidHash })
}

const entryOf =
  (texts: Texts) =>
  ({ senderName, locale, organization, text, ...lines }: TextTemplate): Templates.Entry => ({
    locale,
    senderName,
    organization: organization === undefined ? undefined : OrganizationId(organization),
    template: lined(text, lines, texts),
  })

const ownOf = (texts: Texts): ReadonlyArray<TextTemplate> | undefined =>
  "templates" in texts ? texts.templates : undefined

const made = (texts: Texts): Templates.Templates => {
  if ("render" in texts && texts.render !== undefined) {
    const { locales, render } = texts
    return { locales, defaultLocale: locales[0], render: lined(render, {}, texts) }
  }
  const entries =
    ownOf(texts)?.map(entryOf(texts)) ??
    Templates.standardEntries.map((entry) => ({
      ...entry,
      template: lined(entry.template, {}, texts),
    }))
  return isReadonlyArrayNonEmpty(entries) ? Templates.make(entries) : refuse("there is no template")
}

interface Audience {
  readonly locale: string
  readonly organization?: string | undefined
  readonly senderName?: string | undefined
}

/** The default audience of each locale, and each audience that has a text of its own. */
export const audiencesOf = (
  texts: Texts,
  locales: ReadonlyArray<string>,
): ReadonlyArray<Audience> => [
  ...locales.map((locale) => ({ locale })),
  ...(ownOf(texts) ?? []).filter(
    ({ senderName, organization }) => senderName !== undefined || organization !== undefined,
  ),
]

const sample = "482913"

/** Refuses texts without the code. They would cost money and be useless to the recipient. */
const withCodes = (texts: Texts, found: Templates.Templates): Templates.Templates => {
  for (const { locale, organization = "default", senderName } of audiencesOf(
    texts,
    found.locales,
  )) {
    for (const channel of channels) {
      const text = found.render({
        organization: OrganizationId(organization),
        locale,
        channel,
        code: sample,
        expirySeconds: 300,
        senderName,
      })
      // Other problems of a text appear when it is rendered, and fail only that request.
      if (typeof text !== "string" || !text.includes(sample)) {
        return refuse(`the text of ${locale} does not hold the code`)
      }
    }
  }
  return found
}

export const templates = ({ texts }: VerificationOptions): Templates.Templates =>
  texts === undefined
    ? Templates.standard
    : attempt("verifications.texts", () => withCodes(texts, made(texts)))
