/** Races that need a database with unique columns. */
import { countersign } from "@countersign/better-auth"
import { assert, test } from "vitest"
import { otherNumber, phoneNumber, startApp, startEngine } from "./support/app.ts"

const start = async () => {
  const host = await startEngine()
  const app = await startApp({ plugins: [countersign(host.engine, { clock: host.clock })] })
  /** A browser with a code for a number. */
  const begin = async (to: string, page = app.browser(), purpose = "login") => {
    await page.call("/countersign/start", { body: { phoneNumber: to, purpose } })
    const code = host.gateway.latestCode(to)
    const path = purpose === "login" ? "/countersign/check" : "/countersign/link"
    return { page, finish: () => page.call(path, { body: { code } }) }
  }
  return { ...host, ...app, begin }
}

test("of two browsers that sign up one number at once, both sign in to one user", async () => {
  const { begin, rows } = await start()
  for (const _ of [1, 2, 3, 4, 5]) {
    const phone = `+88017123456${10 + _}`
    const browsers = [await begin(phone), await begin(phone), await begin(phone)]
    const answers = await Promise.all(browsers.map(({ finish }) => finish()))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const users = await Promise.all(browsers.map(({ page }) => page.user()))
    assert.deepStrictEqual(users[1], users[0])
    assert.deepStrictEqual(users[2], users[0])
  }
  assert.lengthOf(await rows("user"), 5)
})

test("of two users who link one number at once, one has it", async () => {
  const { begin, browser, clock, rows } = await start()
  const pages = [browser(), browser()]
  const numbers = [phoneNumber, "+8801912345678"]
  for (const [index, page] of pages.entries()) {
    const { finish } = await begin(numbers[index] ?? "", page)
    await finish()
  }
  await clock.advance("1 minute")
  const links = []
  for (const page of pages) links.push(await begin(otherNumber, page, "link"))
  const answers = await Promise.all(links.map(({ finish }) => finish()))
  assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
  const owners = (await rows("user")).filter((user) => user["phoneNumber"] === otherNumber)
  assert.lengthOf(owners, 1)
})
