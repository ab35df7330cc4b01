/**
 * How an Android app is told which texts are for it.
 */
import * as WebOtp from "@countersign/core/text/WebOtp"
import { createHash } from "node:crypto"
import { attempt } from "./check.ts"

/** An Android app that is to be handed its codes. */
export interface AndroidApp {
  /** `com.example.app` */
  readonly packageName: string
  /** The whole signing certificate (DER) in hexadecimal; not its fingerprint. */
  readonly certificateHex: string
}

/**
 * The hash by which the SMS Retriever knows an app, 11 letters: for `texts.androidHash`. Throws a
 * `ConfigurationError` when it is no package name, or no certificate.
 */
export const androidHash = (app: AndroidApp): string =>
  attempt("androidHash", () =>
    WebOtp.androidHash(createHash("sha256").update(WebOtp.androidHashInput(app)).digest()),
  )
