import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as TextLint from "@countersign/core/text/TextLint"
import * as WebOtp from "@countersign/core/text/WebOtp"
import { createHash } from "node:crypto"
import { attempt } from "../options/check.ts"
import { androidApp } from "../options/optionShapes.ts"
import { check, checkOptions } from "../options/shape.ts"
import { audiencesOf, templates } from "../options/texts.ts"
import type { Texts, TextWarning } from "../types/options.ts"

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

/** An Android app that receives codes through the SMS Retriever. */
export interface AndroidApp {
  /** `com.example.app` */
  readonly packageName: string
  /** The whole signing certificate (DER) in hexadecimal, not its fingerprint. */
  readonly certificateHex: string
}

/** Returns the hash of an app for `texts.androidHash`. Throws a `ConfigurationError` for invalid input. */
export const androidHash = (app: AndroidApp): string => {
  check(androidApp, app, ["androidHash"])
  return attempt("androidHash", () =>
    WebOtp.androidHash(createHash("sha256").update(WebOtp.androidHashInput(app)).digest()),
  )
}
