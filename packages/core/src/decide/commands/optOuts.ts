/** The rules of the numbers that get no promotional messages. */
import { newRecord } from "../../domain/access/AuditRecord.ts"
import * as OptOut from "../../domain/messages/OptOut.ts"
import type { Digests } from "../../domain/verifications/KnownClient.ts"
import * as Decider from "../shared/Decider.ts"
import type * as Shared from "../shared/Results.ts"

export interface Commands {
  /** Puts numbers on the list, or takes them off it. */
  readonly ChangeOptOuts: Shared.Administrative & {
    readonly change: "add" | "remove"
    /** The digests of each number under all secrets. */
    readonly numbers: ReadonlyArray<Digests>
  }
}

export interface Results {
  readonly ChangeOptOuts: {
    readonly _tag: "OptOutsChanged"
    /** How many of the numbers were not as they had to be before. */
    readonly changed: number
  }
}

type Decide<T extends keyof Commands> = Decider.Decider<Shared.Of<Commands, T>, Results[T]>

/** The rows with a number that is on the list, one for each secret under which it was added. */
const activeOf = (
  rows: ReadonlyMap<string, OptOut.OptOut>,
  digests: Digests,
): ReadonlyArray<OptOut.OptOut> =>
  digests.flatMap((digest) => {
    const row = rows.get(digest)
    return OptOut.isActive(row) ? [row] : []
  })

export const changeOptOuts: Decide<"ChangeOptOuts"> = (
  { account, now, view },
  { actor, change, numbers },
) => {
  const { organization } = account
  const rows = new Map(view.optOuts)
  const optOuts = new Map<string, OptOut.OptOut>()
  let changed = 0
  for (const digests of numbers) {
    const active = activeOf(rows, digests)
    const [digest] = digests
    const saved =
      change === "remove"
        ? active.map((row) => ({ ...row, removedAt: now }))
        : active.some((row) => row.digest === digest)
          ? []
          : [{ organization, digest, addedAt: active[0]?.addedAt ?? now, removedAt: null }]
    if (active.length > 0 === (change === "remove")) changed += 1
    for (const row of saved) {
      rows.set(row.digest, row)
      optOuts.set(row.digest, row)
    }
  }
  const result = { _tag: "OptOutsChanged", changed } as const
  const writes = optOuts.size === 0 ? {} : { account, optOuts: [...optOuts.values()] }
  if (changed === 0) return Decider.answer(result, writes)
  const action = change === "add" ? "opt_outs.added" : "opt_outs.removed"
  const record = newRecord({ actor, action, target: null, after: { numbers: changed } })
  return Decider.answer(result, writes, [], [record])
}

/**
 * Refuses a promotional message to a number that is on the list; `undefined` allows it. A number that was added under
 * an older secret is added under the current one, because the older one will be forgotten.
 */
export const refuseOptedOut = (
  { account, view }: Decider.Context,
  digests: Digests | undefined,
): Decider.Decision<Shared.OptedOut> | undefined => {
  const active = digests === undefined ? [] : activeOf(view.optOuts, digests)
  const [first] = active
  if (digests === undefined || first === undefined) return undefined
  const [digest] = digests
  const isCurrent = active.some((row) => row.digest === digest)
  const row = { ...first, digest }
  return Decider.answer({ _tag: "OptedOut" }, isCurrent ? {} : { account, optOuts: [row] })
}
