/**
 * Looks for what makes the texts of codes dear, or keeps a phone from filling the code in.
 */
import { OrganizationId } from "@countersign/core/domain/Ids"
import * as TextLint from "@countersign/core/text/TextLint"
import { attempt } from "./check.ts"
import type { Texts, TextWarning } from "./optionTypes.ts"
import { templates } from "./texts.ts"

interface Audience {
  readonly locale: string
  readonly organization?: string | undefined
  readonly brandName?: string | undefined
}

/** Everybody in each language, and everybody for whom there is a text. */
const audiencesOf = (texts: Texts, locales: ReadonlyArray<string>): ReadonlyArray<Audience> => [
  ...locales.map((locale) => ({ locale })),
  ...("templates" in texts ? (texts.templates ?? []) : []).filter(
    ({ brandName, organization }) => brandName !== undefined || organization !== undefined,
  ),
]

/**
 * What is to be said of texts, as they go out in an SMS: each rule at most once for a locale, and for each
 * organization and sender that has a text. Nothing when all is well. Throws a `ConfigurationError` for
 * texts that cannot be meant.
 */
export const lintTexts = (texts: Texts): ReadonlyArray<TextWarning> => {
  const { locales, render } = templates({ texts })
  return attempt("texts", () =>
    audiencesOf(texts, locales).flatMap(({ brandName, locale, organization }) =>
      TextLint.lint(render, {
        locale,
        organization: organization === undefined ? undefined : OrganizationId(organization),
        ...(brandName === undefined ? undefined : { brandNames: [brandName] }),
      }).map((warning) => ({ ...warning, locale, organization, brandName })),
    ),
  )
}
