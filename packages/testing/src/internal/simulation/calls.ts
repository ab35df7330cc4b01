/** Makes the calls of clients. */
import type { Engine } from "@countersign/core/Engine"
import type { RequestId } from "@countersign/core/domain/values/Ids"
import type * as Effect from "effect/Effect"
import { cycled } from "../model/real.ts"
import { people } from "../model/scenario.ts"
import type { Actions } from "./actions.ts"
import type { History } from "./history.ts"

/** A caller of an organization. */
export const organizationAt = ({ organizations }: History, org: number) =>
  cycled(organizations, org)

export const phoneOf = (person: number): string => cycled(people, person).phone

interface Called {
  readonly tag: keyof Actions
  readonly node: number
  readonly count: number
  readonly key: number | undefined
  readonly org: number
  readonly requestId?: RequestId | undefined
  readonly isForeign?: boolean
}

/** Makes the calls of an action at once, on alternating nodes. */
export const callAll = <A, E extends { readonly _tag: string }>(
  history: History,
  called: Called,
  effect: (mark: string, idempotencyKey: string | undefined) => Effect.Effect<A, E, Engine>,
): void => {
  const { count, isForeign = false, key, node, org, requestId, tag } = called
  const input = JSON.stringify({ ...called, node: 0, count: 0, request: 0 })
  for (let index = 0; index < count; index++) {
    const machine = history.machine(node + index)
    if (machine === undefined) return
    const mark = key === undefined ? `call ${history.calls.length}` : `${tag} with key ${key}`
    const organization = organizationAt(history, org)
    const call = { tag, organization, mark, key, input, requestId, isForeign, machine }
    history.call(call, effect(mark, key === undefined ? undefined : `${tag} ${key}`))
  }
}
