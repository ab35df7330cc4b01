import type { Message } from "@countersign/core/domain/messages/Message"
import * as Report from "@countersign/core/domain/messages/MessageReport"
import type { Snapshot } from "./snapshot.ts"

const ofMessage = (
  { sequence, phoneNumber, reports }: Message,
  kept: ReadonlyArray<Report.Report>,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const wanted = Math.min(reports, Report.maxKept)
  if (kept.length !== wanted) {
    found.push(
      `reports: message ${sequence} has ${kept.length} of ${reports} reports, not ${wanted}`,
    )
  }
  if (reports > Report.maxCounted) found.push(`reports: message ${sequence} counts ${reports}`)
  if (kept.some(({ position }, index) => position !== index + 1)) {
    found.push(`reports: those on message ${sequence} are not in order`)
  }
  const digits = phoneNumber.slice(1)
  if (kept.some(({ detail, evidence }) => `${detail} ${evidence}`.includes(digits))) {
    found.push(`reports: one on message ${sequence} tells the number that it went to`)
  }
  return found
}

export const reportProblems = ({ messages, reports }: Snapshot): ReadonlyArray<string> => {
  const kept = Map.groupBy(reports, ({ messageSequence }) => messageSequence)
  const numbers = new Set(messages.map(({ sequence }) => sequence))
  const strays = [...kept.keys()].filter((number) => !numbers.has(number))
  return [
    ...strays.map((number) => `reports: there are some on message ${number}, which is not there`),
    ...messages.flatMap((message) => ofMessage(message, kept.get(message.sequence) ?? [])),
  ]
}
