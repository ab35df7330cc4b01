import * as WebOtp from "@countersign/core/text/WebOtp"
import { createHash } from "node:crypto"
import { attempt } from "../options/check.ts"
import { androidApp } from "../options/optionShapes.ts"
import { check } from "../options/shape.ts"

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
