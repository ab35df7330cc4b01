import type { BetterAuthClientPlugin } from "better-auth/client"
import type { Answer, Fetcher, Problem } from "./clientTypes.ts"
import type { Idle, Purpose, WaitingAt } from "./protocol.ts"

type Actions = Parameters<NonNullable<BetterAuthClientPlugin["getActions"]>>
type Fetch = Actions[0]
type Store = Actions[1]

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined

/** better-auth's own limit has no code, and a header of its own. */
const problemOf = (
  error: Readonly<Record<string, unknown>>,
  response: Response | undefined,
): Problem => {
  const waits = Number(response?.headers.get("x-retry-after") ?? undefined)
  const retryAfterSeconds =
    numberOf(error["retryAfterSeconds"]) ?? (Number.isFinite(waits) ? waits : undefined)
  const attemptsRemaining = numberOf(error["attemptsRemaining"])
  const fallback = response?.status === 429 ? "rate_limited" : "unexpected_response"
  return {
    code: typeof error["code"] === "string" ? error["code"] : fallback,
    message: typeof error["message"] === "string" ? error["message"] : "Unexpected response",
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(attemptsRemaining === undefined ? {} : { attemptsRemaining }),
    ...(error["details"] === undefined ? {} : { details: error["details"] }),
  }
}

/** Calls the endpoints, and answers problems as data. */
export const fetcherOf = ($fetch: Fetch, $store: Store, purpose: Purpose): Fetcher => {
  const call = async <A>(path: string, body?: object): Promise<Answer<A>> => {
    let response: Response | undefined
    try {
      const { data, error } = await $fetch<A>(`/countersign/${path}`, {
        method: body === undefined ? "GET" : "POST",
        ...(body === undefined ? { query: { purpose } } : { body }),
        // Times stay text: better-auth's own parser makes dates of them.
        jsonParser: (text) => JSON.parse(text),
        onError: (context) => {
          response = context.response
        },
      })
      if (error !== null) return { ok: false, problem: problemOf(error, response) }
      return { ok: true, data }
    } catch (error) {
      const message = error instanceof Error ? error.message : "No response"
      return { ok: false, problem: { code: "network", message } }
    }
  }
  return {
    start: (input) => call<WaitingAt<string>>("start", { ...input, purpose }),
    resend: (input) => call<WaitingAt<string>>("resend", { ...input, purpose }),
    check: async (input) => {
      const answer = await call(purpose === "login" ? "check" : "link", input)
      if (answer.ok) $store.notify("$sessionSignal")
      return answer
    },
    cancel: () => call<Idle>("cancel", { purpose }),
    state: () => call<WaitingAt<string> | Idle>("state"),
  }
}
