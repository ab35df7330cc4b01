/** The person or the program that a change by the host is made for. The audit names it. */
import * as Context from "effect/Context"

export interface Actor {
  /** The host's own id of the actor, such as a user's id. */
  readonly id: string
  /** The name of the actor, for people. @defaultValue unknown */
  readonly name?: string | undefined
  /** Where the actor is, such as an address or the name of a program; `null` if unknown. */
  readonly origin: string | null
  /** Why the actor makes the change. The reason that a command states itself takes precedence. */
  readonly reason?: string | undefined
}

/** The actor of changes for which the host names none. */
export const host: Actor = { id: "host", origin: null }

/** The actor of the changes that an effect makes. */
export const Actor = Context.Reference<Actor>("@countersign/core/domain/values/Actor", {
  defaultValue: () => host,
})
