import * as Effect from "effect/Effect"
import type { Command } from "../../src/decide/Command.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Store } from "../../src/ports/Store.ts"

/** How long a command waits for a lock. */
export const lockTimeout = 2_000

const timeout = new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 })

/** A store in memory, and organizations whose lock is held: their commands wait for it, and then fail. */
export const lockable = (waitMillis = lockTimeout) => {
  const memory = MemoryStore.make()
  const locked = new Set<OrganizationId>()
  /** The commands that have waited in vain, or still wait. */
  const refused: Array<Command["_tag"]> = []
  const wait = Effect.andThen(Effect.sleep(waitMillis), Effect.fail(timeout))
  const store = Store.of({
    ...memory,
    execute: (command) =>
      Effect.suspend(() => {
        if (!locked.has(command.organization)) return memory.execute(command)
        refused.push(command._tag)
        return wait
      }),
    prune: (step) =>
      Effect.suspend(() => (locked.has(step.organization) ? wait : memory.prune(step))),
  })
  return { locked, refused, store }
}
