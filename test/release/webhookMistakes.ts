import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const coreTest = "packages/core/test"
const delivery = `${coreTest}/jobs/WebhookDelivery.test.ts`
const fair = `${coreTest}/jobs/WebhookDelivery.fair.test.ts`
const progress = `${coreTest}/domain/webhooks/WebhookProgress.test.ts`
const transport = "packages/node/src/WebhookTransport.ts"
const transportTest = "packages/node/test/WebhookTransport.test.ts"
const verify = "packages/client/src/internal/verifyWebhook.ts"
const verifyTest = "packages/client/test/VerifyWebhook.test.ts"

const standardTest = {
  path: "test/Webhooks.test.ts",
  title: "are signed as the library of Standard Webhooks expects, in any script",
}

/** Deliveries of webhooks, and what keeps them out of the host's network. */
export const webhookMistakes: ReadonlyArray<Mistake> = [
  {
    name: "an event of a webhook is retried without end",
    file: `${core}/domain/webhooks/WebhookProgress.ts`,
    find: 'else if (status === "active" && isOver(tried, now)) status = "failing"',
    replace: "",
    test: {
      path: delivery,
      title: "ends after three days of failures with an event, until a replay",
    },
  },
  {
    name: "two nodes deliver to a webhook at once",
    file: `${core}/domain/webhooks/WebhookProgress.ts`,
    find: 'status === "active" && leaseUntil <= now',
    replace: 'status === "active" && now > 0 && leaseUntil > 0',
    test: { path: progress, title: "is free when its lease has ended" },
  },
  {
    name: "a node that has lost a webhook records its round",
    file: `${core}/decide/commands/webhookDeciders.ts`,
    find: " || known.holder !== command.holder",
    replace: "",
    test: {
      path: delivery,
      title: "leaves a webhook to the node that has claimed it, and records no lost round",
    },
  },
  {
    name: "a round of a webhook that stops early skips events",
    file: `${core}/jobs/WebhookDelivery.ts`,
    find: "{ position: unstarted.sequence - 1, previous: unstarted.previous }",
    replace: "{ position: fresh.position, previous: fresh.previous }",
    test: { path: delivery, title: "posts at most four events at once, and one while in trouble" },
  },
  {
    name: "one organization takes all places for webhooks",
    file: `${core}/jobs/internal/webhookPlaces.ts`,
    find: "this.#free > 0 && this.#takenBy(organization) < this.#perOrganization",
    replace: "this.#free > 0",
    test: { path: fair, title: "lets organizations take turns with their slow receivers" },
  },
  {
    name: "a slow receiver of a webhook stays among the fast ones",
    file: `${core}/domain/webhooks/WebhookProgress.ts`,
    find: "return now + slowForMillis",
    replace: "return 0",
    test: { path: fair, title: "is as fast as without them while 800 receivers are slow" },
  },
  {
    name: "a receiver of a webhook that has become slow keeps its place",
    file: `${core}/jobs/WebhookDelivery.ts`,
    find: "end: Effect.delay(leave, healthyTime)",
    replace: "end: Effect.delay(Effect.never, healthyTime)",
    test: { path: fair, title: "waits at most two seconds for receivers that become slow, once" },
  },
  {
    name: "a webhook's request that was cut is lost",
    file: `${core}/domain/webhooks/WebhookProgress.ts`,
    find: "      retries.set(sequence, tried)\n      continue",
    replace: "      continue",
    test: {
      path: fair,
      title: "repeats a request that it has cut, apart from the fast ones, and loses none",
    },
  },
  {
    name: "idle connections to receivers of webhooks are without a bound",
    file: transport,
    find: "idle.size > maxIdleConnections && oldest",
    replace: "idle.size < 0 && oldest",
    test: {
      path: transportTest,
      title: "keeps a bounded number of connections, the newest, and never waits for one",
    },
  },
  {
    name: "a retry of a webhook names another event before it",
    file: `${core}/domain/webhooks/WebhookProgress.ts`,
    find: "  sequence,\n  previous,\n  attempts: 0,",
    replace: "  sequence,\n  previous: previous === null ? null : previous + 1,\n  attempts: 0,",
    test: {
      path: delivery,
      title: "repeats a failed event later, with the same id and body, and no other",
    },
  },
  {
    name: "a webhook signs other bytes than it sends",
    file: `${core}/delivery/internal/webhookPosts.ts`,
    find: "mac.sign(key, utf8(text))",
    replace: "mac.sign(key, Uint8Array.from(text, (unit) => unit.charCodeAt(0)))",
    test: standardTest,
  },
  {
    name: "the length of a webhook counts characters",
    file: transport,
    find: "Buffer.byteLength(body)",
    replace: "body.length",
    test: standardTest,
  },
  {
    name: "the old secret of a webhook signs permanently",
    file: `${core}/domain/webhooks/Webhook.ts`,
    find: "until === null || now < until",
    replace: "until === null || now >= 0",
    test: {
      path: `${coreTest}/services/Webhooks.test.ts`,
      title: "signs with both secrets for a day after a rotation",
    },
  },
  {
    name: "the progress of a removed webhook stays",
    file: "packages/postgres/src/internal/organizations/organizationRow.ts",
    find: "    remove(webhookProgress, hooks),\n",
    replace: "",
    test: {
      path: "packages/postgres/test/StoreContract.test.ts",
      title:
        "Store: a server > webhooks > progress is stored as it was recorded, and goes with its webhook",
    },
  },
  {
    name: "a webhook goes to a name with one public address",
    file: transport,
    find: "!addresses.every(({ address }) => isAllowed(address))",
    replace: "!addresses.some(({ address }) => isAllowed(address))",
    test: { path: transportTest, title: "connects to no name that leads to a private network" },
  },
  {
    name: "a webhook goes to a private address in its URL",
    file: transport,
    find: "isIP(literal) !== 0 && !isAllowed(literal) ? notPublic : undefined",
    replace: "undefined",
    test: {
      path: transportTest,
      title: "connects to no address of a private network that is written into the URL",
    },
  },
  {
    name: "a webhook goes to IPv4 addresses inside IPv6",
    file: "packages/node/src/internal/publicAddress.ts",
    find: '        global.check(address, "ipv6") &&\n',
    replace: "",
    test: {
      path: "packages/node/test/internal/publicAddress.test.ts",
      title: "is not ::ffff:127.0.0.1",
    },
  },
  {
    name: "a refused report of a host's own gateway counts as read",
    file: "packages/countersign/src/internal/gateways/hostCallback.ts",
    find: 'return { _tag: "Refused", reason: read.refused }',
    replace: 'return { _tag: "Reports", reports: [] }',
    test: {
      path: "packages/countersign/test/callbacks.test.ts",
      title: "verify and receive reports on a gateway for a channel",
    },
  },
  {
    name: "a receiver accepts an old webhook",
    file: verify,
    find: "Math.abs(now() / 1_000 - Number(timestamp))",
    replace: "Number(timestamp) - now() / 1_000",
    test: { path: verifyTest, title: "judges a time that is later" },
  },
  {
    name: "a receiver accepts a webhook with any signature",
    file: verify,
    find: "(await Promise.all(tries)).includes(true)",
    replace: "(await Promise.all(tries)).length > 0",
    test: { path: verifyTest, title: "judges another secret" },
  },
]
