/**
 * The usual way to serve a log: counts the matching rows, and skips to the page. Uses the table of the engine
 * with an index on organization and time, and runs both queries at once, each on its own connection.
 */
import Fastify from "fastify"
import { Pool } from "pg"
import { options, ready } from "../services/serve.ts"

const { databaseUrl, share = [] } = options()
const pool = new Pool({ connectionString: databaseUrl, max: 20 })
const organizations = new Map(share.map((key, index) => [`Bearer ${key}`, `bench-${index}`]))

interface Query {
  readonly limit?: number
  readonly page?: number
  readonly from?: string
  readonly to?: string
}

interface Row {
  readonly id: string
  readonly recipient: string
  readonly message: string
  readonly channel: string
  readonly status: string
  readonly charge: string
  readonly gatewayId: string | null
  readonly errorMessage: string | null
  readonly createdAt: string
}

const text = { type: "string" }
const textOrNull = { type: ["string", "null"] }
const integer = { type: "integer" }
const object = (properties: Record<string, unknown>) => ({ type: "object", properties })

const schema = {
  querystring: object({
    limit: { type: "integer", minimum: 1, maximum: 200 },
    page: { type: "integer", minimum: 1 },
    from: { type: "string", format: "date-time" },
    to: { type: "string", format: "date-time" },
  }),
  response: {
    200: object({
      success: { type: "boolean" },
      data: {
        type: "array",
        items: object({
          id: text,
          recipient: text,
          message: text,
          channel: text,
          status: text,
          price: text,
          gatewayId: textOrNull,
          errorMessage: textOrNull,
          createdAt: text,
        }),
      },
      pagination: object({ page: integer, limit: integer, total: integer, total_pages: integer }),
    }),
  },
}

const columns = `id || '_' || sequence AS id, substr(phone_number, 2) AS recipient, text AS message, log_channel AS channel, status,
  CASE hold WHEN 'released' THEN 0 ELSE charge END AS charge, gateway_id AS "gatewayId",
  error AS "errorMessage", created_at AS "createdAt"`

const app = Fastify()

app.get<{ Querystring: Query }>("/api/v2/messages", { schema }, async (request, reply) => {
  const organization = organizations.get(request.headers.authorization ?? "")
  if (organization === undefined) return reply.code(401).send({ success: false })
  const { from, limit = 50, page = 1, to } = request.query
  const filtered = from !== undefined && to !== undefined
  const filter = filtered
    ? "organization = $1 AND created_at BETWEEN $2 AND $3"
    : "organization = $1"
  const given = filtered ? [organization, Date.parse(from), Date.parse(to)] : [organization]
  const [counted, found] = await Promise.all([
    pool.query<{ total: string }>(
      `SELECT count(*) AS total FROM countersign.messages WHERE ${filter}`,
      given,
    ),
    pool.query<Row>(
      `SELECT ${columns} FROM countersign.messages WHERE ${filter}
        ORDER BY created_at DESC, sequence DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}`,
      given,
    ),
  ])
  const total = Number(counted.rows[0]?.total)
  return {
    success: true,
    data: found.rows.map(({ charge, createdAt, ...row }) => ({
      ...row,
      price: (Number(charge) / 10_000).toFixed(2),
      createdAt: new Date(Number(createdAt)).toISOString(),
    })),
    pagination: { page, limit, total, total_pages: Math.ceil(total / limit) },
  }
})

ready({ origin: await app.listen({ port: 0, host: "127.0.0.1" }), keys: share })
