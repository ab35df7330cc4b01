import type { RequestContext } from "@countersign/http/mount/RequestContext"
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { assert, describe, test } from "vitest"
import { contextOf, type NextFunction } from "../../src/internal/mounted.ts"

const next: NextFunction = () => {}

/** A request with these properties instead of its own, getters such as `headers` included. */
const requestWith = (properties: object): IncomingMessage => {
  const request = new IncomingMessage(new Socket())
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(request, name, { value, writable: true })
  }
  return request
}

interface Row {
  readonly properties: object
  readonly passed: RequestContext | NextFunction | undefined
  readonly arrival: RequestContext | undefined
  readonly url: string
}

const below = { url: "/messages?page=2", baseUrl: "/api/v2" }
const whole = "/api/v2/messages?page=2"

describe("the context of a mounted listener", () => {
  test.each<readonly [string, Row]>([
    [
      "on plain Node is what was passed",
      {
        properties: { url: whole },
        passed: { clientAddress: "192.0.2.1" },
        arrival: { clientAddress: "192.0.2.1" },
        url: whole,
      },
    ],
    [
      "on plain Node is nothing without that",
      { properties: { url: whole }, passed: undefined, arrival: undefined, url: whole },
    ],
    [
      "does not come from a header",
      {
        properties: { url: "/messages", headers: { baseurl: "/api/v2", baseUrl: "/api/v2" } },
        passed: next,
        arrival: undefined,
        url: "/messages",
      },
    ],
    [
      "has the path of use",
      {
        properties: below,
        passed: next,
        arrival: { basePath: "/api/v2", body: undefined },
        url: whole,
      },
    ],
    [
      "has the path of use beside what was passed",
      {
        properties: below,
        passed: { clientAddress: "192.0.2.1", body: "{}" },
        arrival: { basePath: "/api/v2", clientAddress: "192.0.2.1", body: "{}" },
        url: whole,
      },
    ],
    [
      "has the base path that was passed, and leaves the URL alone",
      { properties: below, passed: { basePath: "" }, arrival: { basePath: "" }, url: below.url },
    ],
    [
      "is nothing at the root",
      { properties: { url: whole, baseUrl: "" }, passed: next, arrival: undefined, url: whole },
    ],
    [
      "is nothing where something else is called baseUrl",
      { properties: { url: whole, baseUrl: 1 }, passed: next, arrival: undefined, url: whole },
    ],
    [
      "has the body that a parser has read",
      {
        properties: { ...below, readableDidRead: true, body: { to: "1" } },
        passed: next,
        arrival: { basePath: "/api/v2", body: { to: "1" } },
        url: whole,
      },
    ],
    [
      "has no body where a parser only left an empty object",
      {
        properties: { ...below, readableDidRead: false, body: {} },
        passed: next,
        arrival: { basePath: "/api/v2", body: undefined },
        url: whole,
      },
    ],
  ])("%s", (_title, { arrival, passed, properties, url }) => {
    const request = requestWith(properties)
    assert.deepStrictEqual(contextOf(request, passed), arrival)
    assert.strictEqual(request.url, url)
  })
})
