/**
 * The inbox of an engine, on every framework: its gateway carries the codes, and its page is there below any path.
 */
import { countersignFastify } from "@countersign/fastify"
import { createInbox, type Inbox } from "@countersign/inbox"
import { inboxClient } from "@countersign/inbox/client"
import { getRequestListener } from "@hono/node-server"
import Fastify from "fastify"
import { once } from "node:events"
import { get, type RequestListener } from "node:http"
import { assert, describe, it } from "vitest"
import { mountsAt, quietEngine, serving } from "../support/adminMounts.ts"

const phoneNumber = "+8801712345678"

type Mount = (inbox: Inbox) => RequestListener | Promise<RequestListener>

const path = "/dev/inbox"

const mounts: Readonly<Record<string, Mount>> = {
  ...mountsAt(path),
  fetch: (inbox) => getRequestListener((request) => inbox.handle(request, { basePath: path })),
  node: (inbox) => (request, response) => inbox.listener(request, response, { basePath: path }),
}

/** An engine whose messages are in an inbox, and an app that mounts the inbox. */
const mounted = async (mount: Mount) => {
  const inbox = createInbox()
  const countersign = await quietEngine({ gateways: inbox.gateways })
  const server = await serving(await mount(inbox))
  return {
    countersign,
    url: new URL(path, server.base).href,
    [Symbol.asyncDispose]: async () => {
      await inbox.dispose()
      await countersign.dispose()
      server[Symbol.dispose]()
    },
  }
}

describe("the inbox", () => {
  it.each(Object.entries(mounts))("is served on %s, with its files", async (_, mount) => {
    await using app = await mounted(mount)
    for (const page of [app.url, `${app.url}/`]) {
      const answer = await fetch(page)
      assert.strictEqual(answer.status, 200)
      const html = await answer.text()
      const links = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link)
      assert.isAtLeast(links.length, 4)
      for (const link of links) {
        assert.strictEqual((await fetch(new URL(link, page))).status, 200, link)
      }
    }
  })

  it.each(Object.entries(mounts))("gives codes and takes reports on %s", async (_, mount) => {
    await using app = await mounted(mount)
    const { verifications } = app.countersign
    const inbox = inboxClient(app.url)
    const waiting = inbox.waitForCode({ phoneNumber: phoneNumber })
    const { requestId } = await verifications.send({ phoneNumber })
    const checked = await verifications.check({ requestId, code: await waiting })
    assert.strictEqual(checked.phoneNumber, phoneNumber)

    await inbox.deliver("by-hand")
    const settled = new Promise((resolve) => {
      app.countersign.subscribe((event) => {
        if (event.type === "message_settled") resolve(event.status)
      })
    })
    await app.countersign.messages.send({ phoneNumber, text: "Hello" })
    const [open] = await inbox.messages({ limit: 1 })
    assert.deepInclude(open, { text: "Hello", open: true })
    assert.strictEqual(await inbox.report({ id: open?.id ?? "", status: "undelivered" }), "done")
    assert.strictEqual(await settled, "undelivered")
  })
})

it("an open page lets a Fastify app close", async () => {
  const app = Fastify().register(countersignFastify(createInbox()), { prefix: "/inbox" })
  const [page] = await once(get(`${await app.listen()}/inbox/events`, { agent: false }), "response")
  page.resume()
  await Promise.all([once(page, "end"), app.close()])
})

it("codes and numbers of an inbox are in no line of the engine's log", async () => {
  const lines: Array<string> = []
  const inbox = createInbox()
  await using countersign = await quietEngine({
    gateways: inbox.gateways,
    log: ({ level, message }) => lines.push(`${level}: ${message}`),
  })
  await countersign.verifications.send({ phoneNumber })
  const code = await inbox.waitForCode({ phoneNumber: phoneNumber, timeout: "0 seconds" })
  await inbox.dispose()
  assert.notInclude(lines.join("\n"), code)
  assert.notInclude(lines.join("\n"), phoneNumber.slice(4))
})
