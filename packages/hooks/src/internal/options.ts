import { nearest } from "@countersign/core/domain/values/FieldNames"
import { ConfigurationError } from "countersign"
import type { HookOptions } from "./types.ts"

const common = { channel: true, clock: true, sender: true }

/** Throws for an option that does not exist, and for a `text` that is no function. */
export const checkOptions = <A extends HookOptions>(
  hook: string,
  options: A,
  own: Readonly<Record<Exclude<keyof A, keyof HookOptions>, true>>,
): void => {
  const known = Object.keys({ ...common, ...own })
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue
    const meant = nearest(name, known)
    const hint =
      meant === undefined ? `the options are ${known.join(", ")}` : `did you mean ${meant}?`
    throw new ConfigurationError(`${hook}: ${name} is not an option; ${hint}`)
  }
  if ("text" in own && !("text" in options && typeof options.text === "function")) {
    throw new ConfigurationError(
      `${hook}: text must be a function, such as ({ code }) => \`\${code} is your code.\``,
    )
  }
}

/** Returns the secrets of an option, at least one. */
export const secretsOf = (
  hook: string,
  name: string,
  given: string | ReadonlyArray<string> | undefined,
): ReadonlyArray<string> => {
  const secrets = typeof given === "string" ? [given] : (given ?? [])
  if (secrets.length > 0 && secrets.every((secret) => secret.trim() !== "")) return secrets
  throw new ConfigurationError(
    `${hook}: ${name} is missing; without it, strangers could send messages at your cost`,
  )
}
