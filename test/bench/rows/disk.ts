/** The disk that a code takes: its rows with their indexes, and what it writes to the write-ahead log. */
import { Client } from "pg"
import { load } from "../load.ts"
import type { Context, Figure, Measurement } from "../Measurement.ts"
import { checks, sendAndCollect, withSide } from "../sides.ts"

const sizes = { full: { block: 50_000, blocks: 4 }, quick: { block: 500, blocks: 1 } }

interface Written {
  /** Bytes of each table with its indexes. */
  readonly tables: ReadonlyMap<string, number>
  readonly log: number
}

const writtenBy = async (client: Client): Promise<Written> => {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
      WHERE relnamespace = 'countersign'::regnamespace AND relkind = 'r'`,
  )
  const { rows: positions } = await client.query<{ bytes: string }>(
    "SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes",
  )
  return {
    tables: new Map(rows.map(({ bytes, name }) => [name, Number(bytes)])),
    log: Number(positions[0]?.bytes),
  }
}

const sumOf = ({ tables }: Written): number => tables.values().reduce((sum, one) => sum + one, 0)

const bytes = (value: number): string => `${Math.round(value).toLocaleString("en")} bytes`

export const disk: Measurement = {
  id: "disk",
  title: "Disk",
  rows: [],
  run: (context: Context) =>
    withSide(context, "countersign", {}, async (side) => {
      const { block, blocks } = sizes[context.scale]
      const client = new Client({ connectionString: side.databaseUrl })
      await client.connect()
      try {
        const before = await writtenBy(client)
        for (let number = 0; number < blocks; number++) {
          const { pending } = await sendAndCollect(side, block)
          await load({ origin: side.service.origin, connections: 64, ...checks(pending) })
        }
        const after = await writtenBy(client)
        const codes = block * blocks
        const figure = (what: string, value: number): Figure => ({
          work: `A code that is sent and checked: ${what}`,
          ours: bytes(value / codes),
        })
        const grown = [...after.tables]
          .map(([name, size]) => ({ name, each: (size - (before.tables.get(name) ?? 0)) / codes }))
          .filter(({ each }) => each >= 1)
          .toSorted((a, b) => b.each - a.each)
        return {
          figures: [
            figure("tables and indexes", sumOf(after) - sumOf(before)),
            figure("write-ahead log", after.log - before.log),
          ],
          notes: [
            `Over ${codes.toLocaleString("en")} codes of one organization at 64 connections, with the default records and without a checkpoint. Bytes of each table with its indexes: ${grown.map(({ each, name }) => `\`${name}\` ${Math.round(each).toLocaleString("en")}`).join(", ")}.`,
          ],
        }
      } finally {
        await client.end()
      }
    }),
}
