/**
 * The sign-in of a dashboard by its password, as a browser does it without JavaScript.
 */
import { assert } from "vitest"

export const signIn = async (dashboardUrl: string, password: string) => {
  const { headers, status } = await fetch(`${dashboardUrl}/`, {
    method: "POST",
    redirect: "manual",
    headers: { accept: "text/html" },
    body: new URLSearchParams({ password }),
  })
  return { status, cookie: headers.getSetCookie()[0]?.split(";")[0] }
}

/** Asserts that a dashboard is there, and closed without its password. */
export const assertBehindPassword = async (dashboardUrl: string, password: string) => {
  const page = await fetch(dashboardUrl, { headers: { accept: "text/html" } })
  const text = await page.text()
  assert.match(text, /Password/)
  assert.match(text, /Sign in/)
  assert.notInclude(text, password)
  const policy = page.headers.get("content-security-policy") ?? ""
  assert.match(policy, /frame-ancestors 'none'/)
  assert.notMatch(policy, /unsafe-inline/)

  const organizations = `${dashboardUrl}/api/organizations`
  assert.strictEqual((await fetch(organizations)).status, 401)
  assert.deepStrictEqual(await signIn(dashboardUrl, "not the password"), {
    status: 401,
    cookie: undefined,
  })
  const { cookie = "" } = await signIn(dashboardUrl, password)
  assert.strictEqual((await fetch(organizations, { headers: { cookie } })).status, 200)
  const inside = await fetch(`${dashboardUrl}/`, { headers: { cookie, accept: "text/html" } })
  assert.match(await inside.text(), /<div id="root">/)
}
