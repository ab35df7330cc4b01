/** The webhooks of an organization: addresses that receive its events. `WebhookDelivery` sends them. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Access } from "../engine/Access.ts"
import type * as Operation from "../api/Operation.ts"
import type { webhooks } from "../api/webhooks.ts"
import { Actor } from "../domain/values/Actor.ts"
import { Codes } from "../engine/Codes.ts"
import { Commits } from "../engine/Commits.ts"
import { WebhookNotFound } from "../domain/errors/Errors.ts"
import * as Duration from "../domain/values/Duration.ts"
import * as EventTable from "../domain/events/EventTable.ts"
import { type OrganizationId, WebhookId } from "../domain/values/Ids.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { newId } from "../engine/internal/newId.ts"
import { makeWebhookPosts } from "../delivery/internal/webhookPosts.ts"
import * as Checks from "../domain/values/internal/checks.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import { CodeSecrets } from "../engine/CodeSecrets.ts"
import { Store } from "../ports/Store.ts"
import { eventAt, makeWebhookAttempts } from "./internal/webhookAttempts.ts"
import * as Webhook from "../domain/webhooks/Webhook.ts"
import * as WebhookProgress from "../domain/webhooks/WebhookProgress.ts"
import type { WebhookTransport } from "../ports/WebhookTransport.ts"

type Inputs = Operation.Inputs<typeof webhooks>

export type CreateWebhook = Inputs["create"]

export type UpdateWebhook = Inputs["update"]

type WebhookRef = Inputs["remove"]

type WebhookSummary = (typeof webhooks.update.output)["Type"]

/** Bounds of the time for which both secrets sign after a rotation. */
export const rotationMillis = { min: 0, max: 30 * 86_400_000 }

export class Webhooks extends Context.Service<Webhooks, Operation.HostMethods<typeof webhooks>>()(
  "@countersign/core/services/Webhooks",
) {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const codeSecrets = yield* CodeSecrets
  const posts = yield* makeWebhookPosts
  const random = yield* SecureRandom.SecureRandom
  const store = yield* Store

  const newSecret = Effect.fnUntraced(function* (organization: OrganizationId, id: WebhookId) {
    const text = Webhook.encodeSecret(yield* random.randomBytes(Webhook.secretBytes))
    const secret = Redacted.make(text, { label: "webhook-secret" })
    const sealed = yield* codes.seal({ organization, webhookId: id }, Redacted.value(secret))
    return { secret, kept: { sealed, pepper: codeSecrets.current.id, until: null } }
  })

  const summary = Effect.fnUntraced(function* (
    organization: OrganizationId,
    webhook: Webhook.Webhook,
  ) {
    const all = yield* store.webhookProgress(organization)
    return summaryOf(organization, webhook, all, yield* Clock.currentTimeMillis)
  })

  /** Changes a webhook as it is at the commit. */
  const change = Effect.fnUntraced(function* (
    { id, organization }: WebhookRef,
    f: (webhook: Webhook.Webhook, now: number) => Webhook.Webhook,
  ) {
    yield* find({ id, organization })
    const changed = yield* access.change(organization, (current, now) => {
      const webhook = Organization.webhookOf(current, id)
      return webhook === undefined ? current : Organization.withWebhook(current, f(webhook, now))
    })
    return yield* webhookIn(changed, id)
  })

  const find = ({ id, organization }: WebhookRef) =>
    Effect.flatMap(access.load(organization), (found) => webhookIn(found, id))

  return Webhooks.of({
    ...makeWebhookAttempts(store, find),
    /** The webhook receives the event of its own creation. */
    create: Effect.fn("Webhooks.create")(function* ({ after, organization, ...input }) {
      const problems = problemsIn({ ...input, after }, posts.transport)
      const { webhooks } = yield* access.load(organization)
      if (webhooks.length >= Webhook.maxWebhooks) {
        problems.fail("url", "too_many", { max: Webhook.maxWebhooks })
      }
      if (problems.error !== undefined) return yield* problems.error
      const id = WebhookId(yield* newId(random, "whk"))
      const { kept, secret } = yield* newSecret(organization, id)
      const changed = yield* access.change(organization, (current, now, lastEvent) =>
        Organization.withWebhook(current, {
          id,
          url: new URL(input.url).href,
          description: input.description ?? null,
          types: typesOf(input.types ?? null),
          isEnabled: input.isEnabled ?? true,
          secrets: [kept],
          createdAt: now,
          startsAfter: Math.min(after ?? lastEvent, lastEvent),
        }),
      )
      const webhook = yield* Effect.orDie(webhookIn(changed, id))
      return { ...(yield* summary(organization, webhook)), secret }
    }),
    list: Effect.fn("Webhooks.list")(function* ({ organization }) {
      const { webhooks } = yield* access.load(organization)
      const all = yield* store.webhookProgress(organization)
      const now = yield* Clock.currentTimeMillis
      return webhooks.map((webhook) => summaryOf(organization, webhook, all, now))
    }),
    /** A delivery that is under way may still use the old settings. */
    update: Effect.fn("Webhooks.update")(function* ({ id, organization, ...input }) {
      const problem = problemsIn(input, posts.transport).error
      if (problem !== undefined) return yield* problem
      const { description, isEnabled, types, url } = input
      const webhook = yield* change({ id, organization }, (current) => ({
        ...current,
        ...(url !== undefined && { url: new URL(url).href }),
        ...(description !== undefined && { description }),
        ...(types !== undefined && { types: typesOf(types) }),
        ...(isEnabled !== undefined && { isEnabled }),
      }))
      return yield* summary(organization, webhook)
    }),
    /** Secrets before the current one sign no longer. */
    rotateSecret: Effect.fn("Webhooks.rotateSecret")(function* ({
      grace: given = "1 day",
      ...ref
    }) {
      const problems = new FieldProblems()
      const grace = problems.parse("grace", given, (text) => Duration.within(text, rotationMillis))
      if (problems.error !== undefined) return yield* problems.error
      const { kept, secret } = yield* newSecret(ref.organization, ref.id)
      yield* change(ref, (current, now) => Webhook.rotate(current, kept, now + (grace ?? 0)))
      return { secret }
    }),
    remove: Effect.fn("Webhooks.remove")(function* (ref) {
      yield* find(ref)
      yield* access.change(ref.organization, (current) =>
        Organization.withoutWebhook(current, ref.id),
      )
    }),
    replay: Effect.fn("Webhooks.replay")(function* ({ after, id, organization }) {
      const problem = problemsIn({ after }, posts.transport).error
      if (problem !== undefined) return yield* problem
      // A replay starts deliveries with the settings as they are now.
      yield* find({ id, organization })
      const replay = Effect.fnUntraced(function* (current: Organization.Organization) {
        const webhook = Organization.webhookOf(current, id)
        if (webhook === undefined) return yield* access.refuse(current, new WebhookNotFound())
        return yield* commits.run({
          _tag: "ReplayWebhook",
          actor: yield* Actor,
          organization,
          version: current.version,
          id,
          startsAfter: webhook.startsAfter,
          after,
        })
      })
      const replayed = yield* access.serve({ organization }, replay)
      return { after: replayed.after }
    }, Effect.catchTags(notForHosts)),
    resend: Effect.fn("Webhooks.resend")(function* ({ id, organization, sequence }) {
      yield* find({ id, organization })
      const event = yield* eventAt(store)(organization, sequence, "sequence")
      const resend = Effect.fnUntraced(function* (current: Organization.Organization) {
        const webhook = Organization.webhookOf(current, id)
        if (webhook === undefined) return yield* access.refuse(current, new WebhookNotFound())
        const at = yield* Clock.currentTimeMillis
        const post = yield* posts.open(organization, webhook, at)
        // It follows none of the deliveries, as the first after a replay.
        const previous = null
        const body = Webhook.bodyOf(event, previous)
        const answer = yield* post({ id: Webhook.deliveryId(event), body })
        const millis = (yield* Clock.currentTimeMillis) - at
        const { type } = EventTable.eventTable[event._tag]
        const delivery = { sequence, previous, type, ...answer, at, millis, jitter: 0 }
        yield* commits.run({
          _tag: "RecordResent",
          actor: yield* Actor,
          organization,
          version: current.version,
          id,
          startsAfter: webhook.startsAfter,
          delivery,
        })
        const { outcome } = answer
        return resultOf(outcome)
      })
      return yield* access.serve({ organization }, resend)
    }, Effect.catchTags(notForHosts)),
    sendTest: Effect.fn("Webhooks.sendTest")(function* ({ id, organization }) {
      const webhook = yield* find({ id, organization })
      const at = yield* Clock.currentTimeMillis
      const post = yield* posts.open(organization, webhook, at)
      const body = Webhook.testBody(organization, id, at)
      const { outcome } = yield* post({ id: yield* newId(random, "tst"), body })
      return resultOf(outcome)
    }),
  })
})

export const layer = Layer.effect(Webhooks, make)

const webhookIn = (organization: Organization.Organization, id: WebhookId) => {
  const webhook = Organization.webhookOf(organization, id)
  return webhook === undefined ? Effect.fail(new WebhookNotFound()) : Effect.succeed(webhook)
}

const resultOf = (outcome: WebhookProgress.Outcome) => ({
  isDelivered: outcome._tag === "Delivered",
  error: "error" in outcome ? outcome.error : null,
})

/** The host calls without a key and from no address. */
const notForHosts = {
  Unauthorized: Effect.die,
  InsufficientScope: Effect.die,
  AddressNotAllowed: Effect.die,
}

const typesOf = (types: WebhookSummary["types"]): ReadonlyArray<EventTable.EventType> | null =>
  types === null ? null : EventTable.types.filter((type) => types.includes(type))

const summaryOf = (
  organization: OrganizationId,
  { secrets, startsAfter, ...webhook }: Webhook.Webhook,
  all: ReadonlyArray<WebhookProgress.WebhookProgress>,
  now: number,
): WebhookSummary => {
  const progress =
    all.find(({ id }) => id === webhook.id) ??
    WebhookProgress.initial(organization, webhook.id, startsAfter)
  const { attempts, lastError, position, retries, retryAt, slowUntil, status, troubledSince } =
    progress
  const [, old] = secrets
  const until = old?.until ?? null
  return {
    ...webhook,
    status,
    position,
    retryAt,
    troubledSince,
    slowUntil: slowUntil !== null && now < slowUntil ? slowUntil : null,
    lastError,
    attempts,
    retrying: retries.length,
    retries: retries
      .map(({ attempts, nextAt, sequence }) => ({ sequence, attempts, nextAt }))
      .toSorted((a, b) => a.sequence - b.sequence),
    oldSecretUntil: until !== null && now < until ? until : null,
  }
}

const checkUrl = (
  problems: FieldProblems,
  text: string,
  transport: WebhookTransport | undefined,
): void => {
  const url = text.length > Webhook.maxUrlLength ? null : URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "") {
    return problems.fail("url", "not_url", {})
  }
  const reason = transport?.problemOf(url)
  if (reason !== undefined) problems.fail("url", "address_not_allowed", { reason })
}

const problemsIn = (
  given: Omit<UpdateWebhook, "id" | "organization"> & Pick<CreateWebhook, "after">,
  transport: WebhookTransport | undefined,
): FieldProblems => {
  const { after, description, types, url } = given
  const problems = new FieldProblems()
  if (url !== undefined) checkUrl(problems, url, transport)
  if (typeof description === "string") {
    const isShort = Array.from(description).length <= Webhook.maxDescriptionLength
    if (!isShort || !Checks.isStorable(description)) {
      problems.fail("description", "invalid_note", { max: Webhook.maxDescriptionLength })
    }
  }
  if (types?.length === 0) problems.fail("types", "empty", {})
  const known: ReadonlySet<string> = new Set(EventTable.types)
  if (types?.some((type) => !known.has(type)) === true) {
    problems.fail("types", "unknown_option", { options: EventTable.types })
  }
  if (after !== undefined) {
    problems.integer("after", after, { min: 0, max: Number.MAX_SAFE_INTEGER })
  }
  return problems
}
