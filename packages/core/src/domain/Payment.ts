/**
 * A payment that a user approves with a code.
 */
export interface Payment {
  /** As people read it, with its currency. */
  readonly amount: string
  readonly payee: string
}
