/** The settings of a session under which the server may lose commits that it has confirmed. */
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Effect from "effect/Effect"
import { text } from "../rows/columns.ts"
import { rowType } from "../rows/rowTable.ts"
import type { Query } from "./query.ts"

export interface Durability {
  readonly fsync: string
  readonly synchronousCommit: string
  readonly fullPageWrites: string
}

/** The columns of a `SELECT`. */
export const columns = `current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS synchronous_commit,
  current_setting('full_page_writes') AS full_page_writes`

/** The problems of the settings, such as `fsync is off`. */
export const risksOf = (self: Durability): ReadonlyArray<string> => [
  ...(self.fsync === "on" ? [] : [`fsync is ${self.fsync}`]),
  ...(self.fullPageWrites === "on" ? [] : [`full_page_writes is ${self.fullPageWrites}`]),
  ...(self.synchronousCommit === "off" ? ["synchronous_commit is off"] : []),
]

/** The setting by which a database says that its data may be lost, as in tests. */
export const accepted = "countersign.may_lose_commits"

const row = rowType<Durability & { readonly isAccepted: string }>({
  fsync: text,
  synchronousCommit: text,
  fullPageWrites: text,
  isAccepted: text,
})

/** Warns of a server that may lose commits, unless its data may be lost. */
export const warn = (query: Query): Effect.Effect<void, StoreUnavailable> =>
  Effect.flatMap(
    query({
      sql: `SELECT ${columns}, coalesce(current_setting('${accepted}', true), '') AS is_accepted`,
    }),
    ([found = {}]) => {
      const { isAccepted, ...settings } = row.decode(found)
      const risks = risksOf(settings)
      return risks.length === 0 || isAccepted === "on"
        ? Effect.void
        : Effect.logWarning(
            `The database may lose money that was booked, because ${risks.join(" and ")}. Run: countersign doctor`,
          )
    },
  )
