import type { Message } from "@countersign/core/domain/Message"
import * as Report from "@countersign/core/domain/Report"
import type { Snapshot } from "./snapshot.ts"

const ofMessage = (
  { number, recipient, reports }: Message,
  kept: ReadonlyArray<Report.Report>,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const wanted = Math.min(reports, Report.maxKept)
  if (kept.length !== wanted) {
    found.push(`reports: message ${number} has ${kept.length} of ${reports} reports, not ${wanted}`)
  }
  if (reports > Report.maxCounted) found.push(`reports: message ${number} counts ${reports}`)
  if (kept.some(({ position }, index) => position !== index + 1)) {
    found.push(`reports: those on message ${number} are not in order`)
  }
  const digits = recipient.slice(1)
  if (kept.some(({ detail, raw }) => `${detail} ${raw}`.includes(digits))) {
    found.push(`reports: one on message ${number} tells the number that it went to`)
  }
  return found
}

export const reportProblems = ({ messages, reports }: Snapshot): ReadonlyArray<string> => {
  const kept = Map.groupBy(reports, ({ message }) => message)
  const numbers = new Set(messages.map(({ number }) => number))
  const strays = [...kept.keys()].filter((number) => !numbers.has(number))
  return [
    ...strays.map((number) => `reports: there are some on message ${number}, which is not there`),
    ...messages.flatMap((message) => ofMessage(message, kept.get(message.number) ?? [])),
  ]
}
