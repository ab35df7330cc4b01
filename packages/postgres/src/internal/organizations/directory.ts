/** The organizations with their settings, senders and keys. Writes are rare, so one writer is enough. */
import * as Decision from "@countersign/core/decide/Decision"
import * as OrganizationChange from "@countersign/core/decide/OrganizationChange"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { host } from "@countersign/core/domain/values/Actor"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Lane, Work } from "../batches/transactions.ts"
import type { Database } from "../database.ts"
import { eraseWork } from "../personalData.ts"
import type { Row } from "../rows/columns.ts"
import { encodeEvent } from "../rows/eventRows.ts"
import * as Tables from "../rows/tables.ts"
import { ofSome } from "../statements/writes.ts"
import * as OrganizationRow from "./organizationRow.ts"
import { repairWork } from "./timeRepair.ts"

type Directory = Pick<
  Store["Service"],
  "createOrganization" | "changeOrganization" | "erase" | "organization" | "repairTime"
>

export const makeDirectory = Effect.fnUntraced(function* (
  database: Database,
  lane: Lane,
): Effect.fn.Return<Directory> {
  const { arrays, clock, first, nextStamp, records, schema, sql } = database
  const permit = yield* Semaphore.make(1)
  /** `timeOf` reads the store's clock from a row. */
  const transact = <A>(work: (timeOf: (row: Row | undefined) => number) => Work<A>) =>
    Effect.flatMap(clock.hostNow, (hostNow) =>
      Effect.callback<A, StoreUnavailable>((resume) =>
        lane.transact(
          work((row) => clock.timeAt(hostNow, row)),
          resume,
        ),
      ),
    ).pipe(Effect.uninterruptible, permit.withPermit)

  const recordsOf = ({ audit, events }: OrganizationChange.Rows) => [
    ...ofSome(events?.map(encodeEvent), sql.insertEvents),
    ...ofSome(audit, sql.insertAudit),
  ]

  return {
    organization: (id) => first(OrganizationRow.read(schema, id), OrganizationRow.decode),
    createOrganization: (organization, actor = host, version) =>
      transact((timeOf) => ({
        home: organization.id,
        reads: () => [
          {
            // Serializes the creation of organizations with the same id.
            sql: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text",
            params: [`${schema} ${organization.id}`],
          },
          sql.readAccounts([organization.id]),
          sql.readClock,
        ],
        decide: ([, accounts, found]) => {
          if (accounts?.rows[0] !== undefined) return { value: false, rows: [] }
          const now = timeOf(found?.rows[0])
          const rows = OrganizationChange.create(organization, { actor, now, records, version })
          return {
            value: true,
            rows: [sql.insertAccounts([rows.account], nextStamp()), ...recordsOf(rows)],
            statements: OrganizationRow.write(schema, arrays, organization),
          }
        },
      })),
    changeOrganization: (id, change, actor = host, version) =>
      transact<OrganizationChange.Changed | undefined>((timeOf) => ({
        home: id,
        reads: () => [sql.lockAccounts([id]), OrganizationRow.read(schema, id)],
        decide: ([accounts, organizations]) => {
          const [accountRow] = accounts?.rows ?? []
          const [row] = organizations?.rows ?? []
          if (accountRow === undefined || row === undefined) return { value: undefined, rows: [] }
          const before = Tables.accounts.decode(accountRow)
          const now = Decision.timeOf(before, timeOf(accountRow))
          const rows = { account: before, organization: OrganizationRow.decode(row) }
          const context = { actor, now, records, version }
          const { writes, ...value } = OrganizationChange.decide(rows, change, context)
          return {
            value,
            rows: [sql.saveAccounts([writes.account], nextStamp()), ...recordsOf(writes)],
            statements: OrganizationRow.write(schema, arrays, value.organization),
          }
        },
      })),
    erase: (step) => transact((timeOf) => eraseWork(database, step, timeOf)),
    repairTime: (step) => transact((timeOf) => repairWork(database, step, timeOf)),
  }
})
