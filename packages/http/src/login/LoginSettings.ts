/** Reads the settings of a login, before it is made. */
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { readLenient } from "@countersign/core/domain/values/PhoneNumberText"
import * as Purpose from "@countersign/core/domain/verifications/Purpose"
import { rooted } from "../mount/BasePath.ts"
import * as ClientAddress from "../mount/ClientAddress.ts"
import type { LoginSettings } from "./LoginOptions.ts"

const defaultBasePath = "/login"

const readOrigin = (text: string): string => {
  if (URL.parse(text)?.origin === text && text !== "null") return text
  throw new TypeError(`origins: ${JSON.stringify(text)} must be written as https://app.example.com`)
}

/** The settings with their defaults. Throws a `TypeError` for one that cannot be used. */
export const read = ({
  basePath = defaultBasePath,
  country,
  origins = [],
  purpose = "login",
  trustedProxies,
}: LoginSettings) => {
  if (!Purpose.isPurpose(purpose)) {
    const { message } = FieldProblem.make("invalid_purpose", { max: Purpose.maxLength })
    throw new TypeError(`purpose ${message}`)
  }
  try {
    readLenient("", { country })
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown"
    throw new TypeError(`country: ${reason}`, { cause: error })
  }
  return {
    basePath: rooted(basePath),
    country,
    origins: new Set(origins.map(readOrigin)),
    purpose,
    addressOf: ClientAddress.resolver({ trustedProxies }),
  }
}
