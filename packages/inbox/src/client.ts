/** An inbox over HTTP: for tests in another process than the app. Needs nothing but `fetch`. */
import * as Duration from "@countersign/core/domain/values/Duration"
import { checkNames, names } from "./internal/checkNames.ts"
import { secondsOf, shownDelivery } from "./internal/delivery.ts"
import { NoCodeError, noTime } from "./internal/errors.ts"
import type { InboxActions, InboxMessage, ReportResult } from "./internal/types.ts"

export { NoCodeError }
export type * from "./internal/types.ts"

/** Longest wait of one request, in milliseconds, as the inbox allows it. */
const maxWait = 60_000

type Query = Readonly<Record<string, string | number | undefined>>

const reportResults = new Map<number, ReportResult>([
  [200, "done"],
  [404, "unknown message"],
  [409, "final"],
])

/** Connects to an inbox at the address of its page: `http://localhost:3000/inbox`. */
export const inboxClient = (url: string | URL): InboxActions => {
  const base = String(url).replace(/\/+$/, "")

  const ask = (method: string, path: string, query: Query = {}): Promise<Response> => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, String(value))
    }
    return fetch(`${base}${path}?${search}`, { method })
  }

  const refused = async (answer: Response): Promise<Error> => {
    const text = await answer.text()
    return new Error(`The inbox at ${base} answered ${answer.status}: ${text.slice(0, 200)}`)
  }

  const waitForCode: InboxActions["waitForCode"] = async (wanted) => {
    checkNames("waitForCode", wanted, names.waitForCode)
    const { after, phoneNumber: to, timeout = "10 seconds" } = wanted
    let left = Duration.millisOfOption("timeout", timeout)
    for (;;) {
      const wait = Math.min(left, maxWait)
      const answer = await ask("GET", "/latest-code", { to, after, wait: wait / 1_000 })
      if (answer.ok) return codeIn(await answer.json())
      if (answer.status !== 404) throw await refused(answer)
      left -= wait
      if (left <= 0) throw new NoCodeError(timeout)
    }
  }

  return {
    latestCode: (phoneNumber) => waitForCode({ phoneNumber, timeout: noTime }),
    waitForCode,
    messages: async (list = {}) => {
      checkNames("messages", list, names.messages)
      const { limit, phoneNumber: to } = list
      const answer = await ask("GET", "/messages", { to, limit })
      if (!answer.ok) throw await refused(answer)
      const messages: ReadonlyArray<InboxMessage> = await answer.json()
      return messages
    },
    report: async (report) => {
      checkNames("report", report, names.report)
      const { delay = "0 seconds", id, status } = report
      const path = `/messages/${encodeURIComponent(id)}/report`
      const answer = await ask("POST", path, { status, after: secondsOf("delay", delay) })
      const result = reportResults.get(answer.status)
      if (result === undefined) throw await refused(answer)
      return result
    },
    deliver: async (when) => {
      const answer = await ask("PUT", "/delivery", { when: shownDelivery(when) })
      if (!answer.ok) throw await refused(answer)
    },
    clear: async () => {
      const answer = await ask("DELETE", "/messages")
      if (!answer.ok) throw await refused(answer)
    },
  }
}

const codeIn = (body: unknown): string => {
  if (typeof body === "object" && body !== null && "code" in body) return String(body.code)
  throw new Error("The inbox answered without a code")
}
