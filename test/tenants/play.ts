/**
 * Plays a seeded history of organizations, and records what one of them is answered: by the promise API, by the HTTP
 * interface, and at the end by everything that a tenant can read in the admin API.
 */
import {
  type Countersign,
  createCountersign,
  developmentGateway,
  isCountersignError,
  type OrganizationServices,
} from "countersign"
import { type Draw, drawing } from "../linearizability/play.ts"
import { acts, type Tenant } from "./calls.ts"
import { normalizer } from "./normalizer.ts"
import { type Foreign, reads } from "./reads.ts"

/** The organization whose answers are compared. */
export const observed = "alpha"

/** The others. Their ids, names, texts and addresses contain their names. */
export const others = ["bravo", "charly"] as const

const nothing: Foreign = { ids: [], cursors: [] }

const secret = "a secret for tests, and only for tests"

/** What a call resolves or rejects with, as data. */
const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => ({ value }),
    (error: unknown) => {
      if (!isCountersignError(error)) throw error
      return { ...error, code: error.code, message: error.message }
    },
  )

/** Everything that the promise API lists for an organization. */
const lists = async (services: OrganizationServices): Promise<unknown> => ({
  entries: await services.account.entries(),
  balance: await services.account.balance(),
  events: await services.events.list(),
  messages: await services.messages.list(),
  verifications: await services.verifications.list(),
  apiKeys: await services.apiKeys.list(),
  senders: await services.senders.list(),
  webhooks: await services.webhooks.list(),
  audit: await services.audit.list(),
  refusals: await services.refusals.list(),
})

const open = async (engine: Countersign, id: string, newestCode: Tenant["newestCode"]) => {
  await engine.organizations.create({
    id,
    name: `name of ${id}`,
    senders: { sms: "8809612000101" },
  })
  const services = engine.organization(id)
  await services.account.topUp({ amount: "12", note: `note of ${id}` })
  const { id: keyId, key } = await services.apiKeys.create({ name: `key of ${id}` })
  const http: Tenant["http"] = async (method, path, body, idempotencyKey) => {
    const response = await engine.fetch(
      new Request(`http://host.test/api/v2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const error = response.headers.get("countersign-error")
    return { status: response.status, error, body: JSON.parse(await response.text()) }
  }
  const made = { apiKeys: [keyId], senders: [], webhooks: [], keys: [key] }
  return {
    key,
    tenant: { id, services, http, codes: new Map(), made, newestCode } satisfies Tenant,
  }
}

export interface Played {
  /** The answers to the observed organization, without ids, times and secrets. */
  readonly transcript: ReadonlyArray<string>
  /** The same as they were. */
  readonly raw: string
  /** What another organization has. The observed one asks for it. */
  readonly foreign: Foreign
}

export interface Options {
  readonly seed: number
  readonly calls: number
  readonly database: string
  /** Whether the calls of the other organizations are part of the history. */
  readonly withOthers: boolean
  /** What the other organizations had in the history with them. */
  readonly foreign?: Foreign | undefined
}

/** What another organization has. */
const identifiersOf = async ({ codes, made, services }: Tenant): Promise<Foreign> => {
  const { items, next } = await services.messages.list({ limit: 1 })
  const lists = [items.map(({ id }) => id), [...codes.keys()]]
  const ids = [...lists, made.apiKeys, made.senders, made.webhooks].flatMap((one) => one.slice(-1))
  return { ids, cursors: next === null ? [] : [next] }
}

export const play = async (options: Options): Promise<Played> => {
  const { calls, database, foreign, seed, withOthers } = options
  const gateway = developmentGateway()
  await using engine = await createCountersign({
    database,
    secret,
    gateways: { sms: gateway },
    log: () => undefined,
  })
  const draw: Draw = drawing(seed)
  const ids = withOthers ? [observed, ...others] : [observed]
  const opened = new Map<string, Awaited<ReturnType<typeof open>>>()
  for (const id of ids) opened.set(id, await open(engine, id, gateway.latestCode))
  const answers: Array<readonly [call: string, answer: unknown]> = []
  for (let count = 0; count < calls; count++) {
    // All of it is drawn for every call, so that the calls of one organization do not depend on the others.
    const id = [observed, ...others][draw(1 + others.length)] ?? observed
    const [name, act] = acts[draw(acts.length)] ?? ["", undefined]
    const ownDraw = drawing(draw(1 << 24))
    const found = opened.get(id)
    if (act === undefined || found === undefined) continue
    const answer = await outcome(act(found.tenant, ownDraw, engine))
    if (id === observed) answers.push([name, answer])
  }
  const own = opened.get(observed)
  if (own === undefined) throw new Error("The observed organization is missing")
  const other = opened.get(others[0])?.tenant
  const identifiers = foreign ?? (other === undefined ? nothing : await identifiersOf(other))
  answers.push(["every list", await lists(own.tenant.services)])
  answers.push(...(await reads(engine, observed, identifiers)))
  const normalize = normalizer([...own.tenant.made.keys, ...own.tenant.made.apiKeys])
  return {
    transcript: answers.map(([call, answer]) => `${call}: ${normalize(JSON.stringify(answer))}`),
    raw: JSON.stringify(answers),
    foreign: identifiers,
  }
}
