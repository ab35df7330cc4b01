import { nearest } from "@countersign/core/domain/values/FieldNames"
import type { ListMessages, ReportMessage, WaitForCode } from "./types.ts"

/** The names of the options, which the compiler compares with their type. */
export const namesOf = <A>(options: Readonly<Record<keyof A, true>>): ReadonlyArray<string> =>
  Object.keys(options)

/** Throws a `TypeError` for a name that is not known and whose value is not `undefined`. */
export const checkNames = (name: string, options: object, known: ReadonlyArray<string>): void => {
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || known.includes(option)) continue
    const meant = nearest(option, known)
    const hint =
      meant === undefined ? `the options are ${known.join(", ")}` : `did you mean ${meant}?`
    throw new TypeError(`${name}: ${option} is not an option; ${hint}`)
  }
}

/** The names of the options of each action. */
export const names = {
  messages: namesOf<ListMessages>({ phoneNumber: true, limit: true }),
  waitForCode: namesOf<WaitForCode>({ phoneNumber: true, timeout: true, after: true }),
  report: namesOf<ReportMessage>({ id: true, status: true, delay: true }),
}
