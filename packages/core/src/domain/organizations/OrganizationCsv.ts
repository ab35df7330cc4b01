/** The list of organizations as CSV (RFC 4180). */
import { textCell } from "../values/Csv.ts"
import * as Money from "../values/Money.ts"
import type { summaryOf } from "./Organization.ts"

/** The first line. */
export const header = "id,name,isSuspended,currency,balance,held,hasDefaultSender,activeApiKeys\r\n"

/** The lines of organizations, without the first line. */
export const lines = (
  organizations: ReadonlyArray<ReturnType<typeof summaryOf>>,
  currency: string,
): string =>
  organizations
    .map(({ activeApiKeys, balance, hasDefaultSender, held, id, isSuspended, name }) => {
      const amounts = [balance, held].map(Money.format)
      const texts = [id, textCell(name), isSuspended, currency, ...amounts]
      return `${[...texts, hasDefaultSender, activeApiKeys].join()}\r\n`
    })
    .join("")
