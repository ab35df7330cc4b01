"use client"

import { useEffect, useMemo, useReducer, useRef, useState, useSyncExternalStore } from "react"
import { deviceTime, secondsUntil } from "./clock.ts"
import { createFetcher } from "./fetcher.ts"
import { createStore, type Store } from "./store.ts"
import type { Fetcher, ResendInput, StartInput } from "./types.ts"
import { initial, type VerificationState, type VerifiedState } from "./verification.ts"

interface WithCallback {
  /** Runs once for a verified number, with the answer of the host's `onVerified`, while the component is mounted. */
  readonly onVerified?: ((verified: VerifiedState) => void) | undefined
}

interface ByPath extends WithCallback {
  /** Where the login is mounted, such as `/login`. */
  readonly basePath: string
  readonly fetcher?: never
}

interface ByFetcher extends WithCallback {
  /** From `createFetcher`, or your own. The calls use the latest one. */
  readonly fetcher: Fetcher
  readonly basePath?: never
}

export type VerificationOptions = ByPath | ByFetcher

/** One verification of a phone number. Calls that do not fit the state, such as a second `check`, do nothing. */
export interface Verification {
  readonly state: VerificationState
  /** Whole seconds until the code expires; `null` when no code is awaited. */
  readonly expiresInSeconds: number | null
  /** Whole seconds until `resend` is allowed; `null`: never, or no code is awaited. */
  readonly resendInSeconds: number | null
  /** Sends a code, in the states `idle` and `failed`. */
  readonly start: (input: StartInput) => void
  /** Sends the code again, in the state `waiting`. */
  readonly resend: (input?: ResendInput) => void
  /** Checks a code, in the state `waiting`. A code that was wrong is not sent a second time. */
  readonly check: (code: string) => void
  /** Gives the request up, and returns to `idle`. */
  readonly cancel: () => void
}

const secondMillis = 1000

/** A timer that is later than this has slept, or the clock of the device was set. */
const maxDelayMillis = 5000

const checkOptions = ({
  basePath,
  fetcher,
  onVerified: _,
  ...others
}: VerificationOptions): void => {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`useVerification: ${unknown} is not an option`)
  if ((basePath === undefined) === (fetcher === undefined)) {
    throw new TypeError("useVerification: pass either basePath or fetcher")
  }
}

const methodsOf = ({
  send,
}: Store): Pick<Verification, "start" | "resend" | "check" | "cancel"> => ({
  start: ({ channel, locale, phoneNumber }) =>
    send({ type: "start", phoneNumber, channel, locale }),
  resend: ({ channel } = {}) => send({ type: "resend", channel }),
  check: (code) => send({ type: "check", code }),
  cancel: () => send({ type: "cancel" }),
})

const serverState = (): VerificationState => initial

const requestOf = (state: VerificationState) =>
  "request" in state && state.request !== null ? state.request : undefined

/** Renders once a second until a code expires. Asks the server then, and when the device's clock has jumped. */
const useTicks = (store: Store, expiresAt: number | undefined): void => {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (expiresAt === undefined) return undefined
    let last = deviceTime()
    const timer = setInterval(() => {
      const time = deviceTime()
      const delay = Math.abs(time - last - secondMillis)
      if (delay > maxDelayMillis || time >= expiresAt) store.send({ type: "refresh" })
      last = time
      tick()
    }, secondMillis)
    return () => clearInterval(timer)
  }, [store, expiresAt])
}

/**
 * The state of a verification, and the actions of the user. Continues a request of this browser after a reload. Asks
 * the server again when the page returns from the browser's cache, after sleep, and when the code expires.
 */
export const useVerification = (options: VerificationOptions): Verification => {
  checkOptions(options)
  const { basePath, onVerified } = options
  const byPath = useMemo(
    () => (basePath === undefined ? undefined : createFetcher({ basePath })),
    [basePath],
  )
  const fetcher = options.fetcher ?? byPath
  const latest = useRef({ fetcher, onVerified })
  const [store] = useState(() =>
    createStore(() => {
      if (latest.current.fetcher === undefined) throw new TypeError("there is no fetcher")
      return latest.current.fetcher
    }),
  )
  useEffect(() => {
    latest.current = { fetcher, onVerified }
  })
  const state = useSyncExternalStore(store.subscribe, store.getState, serverState)

  useEffect(() => {
    // The rules ignore the second one of StrictMode, which comes before the answer to the first.
    store.send({ type: "refresh" })
    const onPageShow = (event: PageTransitionEvent): void => {
      if (event.persisted) store.send({ type: "refresh" })
    }
    window.addEventListener("pageshow", onPageShow)
    return () => window.removeEventListener("pageshow", onPageShow)
  }, [store])

  const handled = useRef<VerificationState>(initial)
  useEffect(() => {
    if (state === handled.current || state.status !== "verified") return
    handled.current = state
    latest.current.onVerified?.(state)
  }, [state])

  const methods = useMemo(() => methodsOf(store), [store])
  const request = requestOf(state)
  useTicks(store, request?.expiresAt)
  const now = request === undefined ? 0 : deviceTime()
  return {
    ...methods,
    state,
    expiresInSeconds: request === undefined ? null : secondsUntil(request.expiresAt, now),
    resendInSeconds:
      request === undefined || request.resendAt === null || request.resendsRemaining === 0
        ? null
        : secondsUntil(request.resendAt, now),
  }
}
