/** Holds the state of one verification, and carries out its commands one after the other. */
import { deviceTime } from "./clock.ts"
import type { Answer, Fetcher } from "./types.ts"
import { type Command, type Event, initial, step, type VerificationState } from "./verification.ts"

export interface Store {
  readonly getState: () => VerificationState
  readonly subscribe: (listener: () => void) => () => void
  readonly send: (event: Event) => void
}

const settle = async <A>(call: Promise<Answer<A>>): Promise<Answer<A>> => {
  try {
    return await call
  } catch (error) {
    // A fetcher of the host that rejects: its calls never end the sequence.
    return { ok: false, problem: { code: "network", message: String(error) } }
  }
}

const carryOut = async (command: Command, fetcher: Fetcher): Promise<Event> => {
  switch (command.type) {
    case "start": {
      const { channel, locale, phoneNumber } = command
      const answer = await settle(fetcher.start({ phoneNumber, channel, locale }))
      return { type: "sent", answer, at: deviceTime() }
    }
    case "resend": {
      const answer = await settle(fetcher.resend({ channel: command.channel }))
      return { type: "sent", answer, at: deviceTime() }
    }
    case "check": {
      const { code, phoneNumber } = command
      return { type: "checked", answer: await settle(fetcher.check({ code, phoneNumber })) }
    }
    case "cancel":
      return { type: "cancelled", answer: await settle(fetcher.cancel()) }
    case "state":
      return { type: "found", answer: await settle(fetcher.state()), at: deviceTime() }
  }
}

/** `fetcher` returns the one that the page has now. */
export const createStore = (fetcher: () => Fetcher): Store => {
  const listeners = new Set<() => void>()
  let state = initial
  // A cancellation whose answer clears the cookie must not end after the start that sets a new one.
  let last: Promise<void> = Promise.resolve()
  const send = (event: Event): void => {
    const [next, command] = step(state, event)
    if (next !== state) {
      state = next
      for (const listener of listeners) listener()
    }
    if (command === undefined) return
    last = last.then(async () => send(await carryOut(command, fetcher())))
  }
  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    send,
  }
}
