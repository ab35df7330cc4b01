/** The problems of an organization, in the reader's words. */
import type { Attention } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import type { Words } from "./refusals.ts"

export type Finding = Attention["findings"][number]

/** The sentence of a finding. Names and amounts come from the service, which knows the language of no reader. */
export const findingText = (
  { code, parameters, since }: Finding,
  currency: string,
  { format, t }: Words,
): string => {
  const numberOf = (name: string): number => Number(parameters[name] ?? 0)
  const textOf = (name: string): string => String(parameters[name] ?? "")
  const channels: Readonly<Record<string, string>> = t.channel
  const days = numberOf("days")
  const values = {
    ...Object.fromEntries(Object.keys(parameters).map((name) => [name, textOf(name)])),
    before: format.percent(numberOf("before") / 100),
    now: format.percent(numberOf("now") / 100),
    channel: channels[textOf("channel")] ?? "",
    balance: format.money(textOf("balance"), currency),
    lowAt: format.money(textOf("lowAt"), currency),
    days: format.plural(days, t.attention.days),
    since: since === null ? "" : format.minutes(since),
  }
  return fill(t.attention.texts[code], values)
}

/** Where a finding leads. Tenants do not see the gateways. */
export const findingPath = (
  { target: { id, page } }: Finding,
  own: (path: string) => string,
  isOperator: boolean,
): string | undefined => {
  const name = id === null ? "" : `/${encodeURIComponent(id)}`
  if (page === "gateways") return isOperator ? "/gateways" : undefined
  return own(`${page}${page === "webhooks" ? name : ""}`)
}
