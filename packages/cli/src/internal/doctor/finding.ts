/** What the doctor says about one thing. */
export interface Finding {
  /** What was checked. */
  readonly check: string
  readonly status: "ok" | "warning" | "problem"
  readonly message: string
  /** What to do about it; `null` if nothing. */
  readonly advice: string | null
}

export const ok = (check: string, message: string): Finding => ({
  check,
  status: "ok",
  message,
  advice: null,
})

export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "warning",
  message,
  advice,
})

export const problem = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "problem",
  message,
  advice,
})
