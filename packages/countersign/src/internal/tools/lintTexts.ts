import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as TextLint from "@countersign/core/text/TextLint"
import { attempt } from "../options/check.ts"
import { checkOptions } from "../options/shape.ts"
import type { Texts, TextWarning } from "../types/options.ts"
import { audiencesOf, templates } from "../options/texts.ts"

/**
 * Returns the problems of texts as they are sent by SMS, or an empty list. Reports each rule at most once for a
 * locale, and for each organization and sender with a text of its own. Throws a `ConfigurationError` for
 * invalid texts.
 */
export const lintTexts = (texts: Texts): ReadonlyArray<TextWarning> => {
  checkOptions({ verifications: { texts } })
  const { locales, render } = templates({ texts })
  return attempt("verifications.texts", () =>
    audiencesOf(texts, locales).flatMap(({ senderName, locale, organization }) =>
      TextLint.lint(render, {
        locale,
        organization: organization === undefined ? undefined : OrganizationId(organization),
        ...(senderName === undefined ? undefined : { senderNames: [senderName] }),
      }).map((warning) => ({ ...warning, locale, organization, senderName })),
    ),
  )
}
