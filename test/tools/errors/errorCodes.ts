/** The codes of the engine as a module without Effect, which the types of promises name. */
import { engineErrors, quoted } from "./rows.ts"

export const errorCodes = (): string => `
/** The codes of the errors of the engine, and \`internal\` for a defect. */
export const errorCodes = ${quoted([...engineErrors.map(({ code }) => code), "internal"].toSorted())} as const

export type ErrorCode = (typeof errorCodes)[number]
`
