import { pauseMillis } from "@countersign/core/domain/alerts/AlertTable"
import type { Snapshot } from "./snapshot.ts"

/** The events of alerts, as far as the log has them. */
const eventsOf = ({ events }: Snapshot) =>
  events.flatMap((event) =>
    event._tag === "AlertRaised" || event._tag === "AlertOver" ? [event] : [],
  )

/** An alert is raised once until it is over, and not again within the pause. Its row is as the log has left it. */
export const alertProblems = (snapshot: Snapshot): ReadonlyArray<string> => {
  const { account, alerts } = snapshot
  const states = alerts?.states ?? []
  const found: Array<string> = []
  for (const [alert, own] of Map.groupBy(eventsOf(snapshot), (event) => event.alert)) {
    const about = `I38: the alert ${alert}`
    for (const [index, { _tag, sequence }] of own.entries()) {
      const isFirst = index === 0 && (account.firstEvent > 1 || _tag === "AlertRaised")
      if (!isFirst && own[index - 1]?._tag === _tag) found.push(`${about} has ${_tag} twice`)
      if (!isFirst && index === 0) found.push(`${about} is over at ${sequence} and was not raised`)
    }
    const raised = own.filter(({ _tag }) => _tag === "AlertRaised")
    for (const [index, { at }] of raised.entries()) {
      const before = raised[index - 1]
      if (before !== undefined && at - before.at < pauseMillis) {
        found.push(`${about} is raised again after ${at - before.at} ms`)
      }
    }
    const state = states.find((one) => one.alert === alert)
    const isOpen = own.at(-1)?._tag === "AlertRaised"
    const last = raised.at(-1)
    if (state?.isOpen !== isOpen || (last !== undefined && state.raisedAt !== last.at)) {
      found.push(`${about} is not as the log has left it`)
    }
  }
  if (alerts !== undefined && alerts.isOpen !== states.some(({ isOpen }) => isOpen)) {
    found.push("I38: the row of the alerts does not know whether one is open")
  }
  return found
}
