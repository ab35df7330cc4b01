/**
 * What a dashboard shows after some traffic: messages with every outcome, codes with every end.
 */
import { assert } from "vitest"
import { eventually } from "../../../../test/support/eventually.ts"
import { at, type Quickstart } from "../../../../test/support/Quickstart.ts"

const endings = ["101", "103", "104", "105", "107"]

export const populate = async (quickstart: Quickstart): Promise<void> => {
  const { call, inboxUrl } = quickstart
  const texts = ["Your parcel has arrived", "আপনার অর্ডার তৈরি", `Invoice ${"4711 ".repeat(30)}`]
  await Promise.all([
    ...endings.map((ending) => call("/verify", { body: { phone_number: `+8801555000${ending}` } })),
    ...texts.map((message, index) =>
      call("/messages", { body: { to: `880171300001${index}`, message } }),
    ),
  ])
  const to = "+8801713000020"
  const { body } = await call("/verify", { body: { phone_number: to } })
  const request_id = at(body, "data", "request_id")
  await call("/verify/check", { body: { request_id, code: "wrong1" } })
  const inbox = await fetch(`${inboxUrl}/messages?to=${encodeURIComponent(to)}`)
  const code = at(await inbox.json(), 0, "code")
  await call("/verify/check", { body: { request_id, code } })
  // Numbers that get a report late, or never, have their outcome.
  await eventually(async () => {
    const log = JSON.stringify((await call("/messages?limit=200")).body)
    assert.include(log, `"undelivered"`)
    assert.notInclude(log, `"accepted"`)
  })
}
