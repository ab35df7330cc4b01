/** The errors of the plugin for better-auth, as its clients know them. */
import { verifications } from "@countersign/core/api/verifications"
import { ownErrors } from "../../../packages/better-auth/src/internal/ownErrors.ts"
import { all, quoted } from "./rows.ts"

const { cancel, get, resend, send, verify } = verifications

/** What visitors are not told is `unavailable`. */
const codes: ReadonlySet<string> = new Set([
  ...[cancel, get, resend, send, verify]
    .flatMap(({ errors }) => errors)
    // The endpoints use no keys.
    .filter((code) => !code.startsWith("idempotency")),
  "internal",
  "unavailable",
])

const sentenceOf = (sentence: string | Readonly<Record<string, string>>): string =>
  typeof sentence === "string" ? sentence : (Object.values(sentence)[0] ?? "")

const ofEngine = all.flatMap(({ code, isForOperators, sentence, source }) => {
  const isShown = codes.has(code) && isForOperators !== true && source !== "http"
  return isShown ? [[code, sentenceOf(sentence)] as const] : []
})

const ofPlugin = Object.entries(ownErrors).map(([code, { message }]) => [code, message] as const)

export const betterAuthErrors = (): string => {
  const messages = new Map([...ofEngine, ...ofPlugin].toSorted())
  const entries = [...messages].map(
    ([code, message]) => `${code}: { code: ${quoted(code)}, message: ${quoted(message)} },`,
  )
  return `
/** A code of an error, and its sentence for developers. */
export interface ErrorCode {
  readonly code: string
  message: string
}

/** The errors of the endpoints, as the clients of better-auth know them: \`authClient.$ERROR_CODES.wrong_code\`. */
export const errorCodes = {
  ${entries.join("\n  ")}
} satisfies Readonly<Record<string, ErrorCode>>

/** The errors of the endpoints by their codes. */
export type ErrorCodes = Record<keyof typeof errorCodes, ErrorCode>
`
}
