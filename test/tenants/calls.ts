/**
 * The calls of a history of several organizations. They use the same phone numbers, idempotency keys, payment ids and
 * names, so that a row that is found without its organization is another one's row.
 */
import type { Countersign, OrganizationServices } from "countersign"
import type { Draw } from "../linearizability/play.ts"

/** An organization in a history. */
export interface Tenant {
  readonly id: string
  readonly services: OrganizationServices
  /** Calls the HTTP interface with the key of the organization. */
  readonly http: (
    method: "GET" | "POST",
    path: string,
    body?: object,
    key?: string,
  ) => Promise<unknown>
  /** The codes that were sent, by their requests. */
  readonly codes: Map<string, string>
  /** The ids of keys, senders and webhooks that it has made, and the texts of the keys. */
  readonly made: Record<"apiKeys" | "senders" | "webhooks" | "keys", Array<string>>
  readonly newestCode: (phoneNumber: string) => string
}

type Act = (tenant: Tenant, draw: Draw, engine: Countersign) => Promise<unknown>

const phones = ["+8801712000001", "+8801712000002", "+8801712000003"] as const

export const phoneNumber = (draw: Draw): string => phones[draw(phones.length)] ?? phones[0]

/** Half of the calls have a key, which other organizations use as well. */
const keyOf = (draw: Draw): string | undefined => (draw(2) === 0 ? `key ${draw(3)}` : undefined)

const item = <A>(items: ReadonlyArray<A>, draw: Draw): A | undefined => {
  const index = draw(1_000)
  return items[index % Math.max(1, items.length)]
}

const requestId = ({ codes }: Tenant, draw: Draw): string =>
  item([...codes.keys()], draw) ?? "vrf_none"

const typed = (tenant: Tenant, id: string, draw: Draw): string => {
  const code = tenant.codes.get(id) ?? "000000"
  return draw(3) === 0 ? code : code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
}

const memberOf = (value: unknown, name: string): string => String(Object(value)[name])

/** Remembers the code of a request that was sent. */
const remember = (tenant: Tenant, id: unknown, to: string): void => {
  if (typeof id === "string" && !tenant.codes.has(id)) tenant.codes.set(id, tenant.newestCode(to))
}

const ofCodes: Readonly<Record<string, Act>> = {
  "verifications.send": async (tenant, draw) => {
    const to = phoneNumber(draw)
    const idempotencyKey = keyOf(draw)
    const client = `visitor ${draw(2)}`
    const sent = await tenant.services.verifications.send({
      phoneNumber: to,
      idempotencyKey,
      client,
    })
    remember(tenant, sent.requestId, to)
    return sent
  },
  "POST /verify": async (tenant, draw) => {
    const phone_number = phoneNumber(draw)
    const answer = await tenant.http("POST", "/verify", { phone_number }, keyOf(draw))
    remember(tenant, Object(Object(Object(answer).body).data).request_id, phone_number)
    return answer
  },
  "verifications.check": (tenant, draw) => {
    const id = requestId(tenant, draw)
    return tenant.services.verifications.check({ requestId: id, code: typed(tenant, id, draw) })
  },
  "POST /verify/check": (tenant, draw) => {
    const request_id = requestId(tenant, draw)
    const code = typed(tenant, request_id, draw)
    return tenant.http("POST", "/verify/check", { request_id, code })
  },
  "POST /verify/check by number": (tenant, draw) =>
    tenant.http("POST", "/verify/check", { phone_number: phoneNumber(draw), code: "000000" }),
  "verifications.verify": (tenant, draw) => {
    const id = requestId(tenant, draw)
    return tenant.services.verifications.verify({
      requestId: id,
      code: typed(tenant, id, draw),
      idempotencyKey: keyOf(draw),
    })
  },
  "POST /verify/{request_id}/resend": (tenant, draw) =>
    tenant.http("POST", `/verify/${requestId(tenant, draw)}/resend`, {}, keyOf(draw)),
  "POST /verify/{request_id}/cancel": (tenant, draw) =>
    tenant.http("POST", `/verify/${requestId(tenant, draw)}/cancel`, {}),
  "POST /verify/{request_id}/consume": (tenant, draw) =>
    tenant.http("POST", `/verify/${requestId(tenant, draw)}/consume`, {}, keyOf(draw)),
  "GET /verify/{request_id}": (tenant, draw) =>
    tenant.http("GET", `/verify/${requestId(tenant, draw)}`),
  "verifications.get": (tenant, draw) =>
    tenant.services.verifications.get({ requestId: requestId(tenant, draw) }),
  "verifications.resetGuesses": (tenant, draw) =>
    tenant.services.verifications.resetGuesses({ phoneNumber: phoneNumber(draw) }),
}

const ofMoney: Readonly<Record<string, Act>> = {
  "messages.send": (tenant, draw) =>
    tenant.services.messages.send({
      phoneNumber: phoneNumber(draw),
      text: `Text ${draw(2)} of ${tenant.id}`,
      idempotencyKey: keyOf(draw),
    }),
  "POST /messages": (tenant, draw) =>
    tenant.http(
      "POST",
      "/messages",
      { to: phoneNumber(draw), message: `Text ${draw(2)} of ${tenant.id}` },
      keyOf(draw),
    ),
  "GET /messages": (tenant, draw) => tenant.http("GET", `/messages?limit=${1 + draw(3)}`),
  "GET /balance": (tenant) => tenant.http("GET", "/balance"),
  "account.topUp": (tenant, draw) =>
    tenant.services.account.topUp({ amount: "1", paymentId: `payment ${draw(6)}` }),
  "account.adjust": (tenant, draw) =>
    tenant.services.account.adjust({ amount: "-0.25", note: `note of ${tenant.id} ${draw(2)}` }),
}

const ofSettings: Readonly<Record<string, Act>> = {
  "apiKeys.create": async (tenant, draw) => {
    const made = await tenant.services.apiKeys.create({ name: `key of ${tenant.id} ${draw(2)}` })
    tenant.made.apiKeys.push(made.id)
    tenant.made.keys.push(made.key)
    return made
  },
  "apiKeys.revoke": (tenant, draw) =>
    tenant.services.apiKeys.revoke({ id: item(tenant.made.apiKeys, draw) ?? "none" }),
  "senders.create": async (tenant, draw) => {
    const value = `TEXT${draw(2)}`
    const made = await tenant.services.senders.create({ kind: "masking", value })
    tenant.made.senders.push(memberOf(made, "id"))
    return made
  },
  "senders.withdraw": (tenant, draw) =>
    tenant.services.senders.withdraw({ id: item(tenant.made.senders, draw) ?? "none" }),
  "webhooks.create": async (tenant) => {
    const url = `https://hooks.example/${tenant.id}`
    const made = await tenant.services.webhooks.create({ url, isEnabled: false })
    tenant.made.webhooks.push(made.id)
    return made
  },
  "webhooks.remove": (tenant, draw) =>
    tenant.services.webhooks.remove({ id: item(tenant.made.webhooks, draw) ?? "none" }),
  "organizations.update": (tenant, draw, engine) =>
    engine.organizations.update({
      id: tenant.id,
      name: `${tenant.id} ${draw(3)}`,
      blockedPrefixes: draw(4) === 0 ? ["8801712000003"] : [],
      limits: { attempts: 2 + draw(3) },
    }),
  "privacy.erase": (tenant, draw) =>
    tenant.services.privacy.erase({ phoneNumber: phoneNumber(draw) }),
}

/** Every call, as often as it is drawn. */
export const acts: ReadonlyArray<readonly [name: string, act: Act]> = [
  ...Object.entries(ofCodes),
  ...Object.entries(ofCodes),
  ...Object.entries(ofMoney),
  ...Object.entries(ofMoney),
  ...Object.entries(ofSettings),
]
