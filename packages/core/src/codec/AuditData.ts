/**
 * Plain data of the audit.
 */

/** The person or the program that calls of this API are made for. */
export interface Actor {
  /** Your own id of the actor, such as a user's id. */
  readonly id: string
  /** Where the actor is, such as an address or the name of a program. @defaultValue unknown */
  readonly origin?: string | undefined
  /** Why the actor makes the changes. A reason that a call states itself takes precedence. @defaultValue none */
  readonly reason?: string | undefined
}
