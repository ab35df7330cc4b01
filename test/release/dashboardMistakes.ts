/** Mistakes with the sign-in of the dashboard and with its files, and the tests that notice them. */
import type { Mistake } from "./planting.ts"

const source = "packages/dashboard/src/internal"
const signIn = "packages/dashboard/test/signIn.test.ts"
const pages = "packages/dashboard/test/dashboard.test.ts"

export const dashboardMistakes: ReadonlyArray<Mistake> = [
  {
    name: "a session of the dashboard never ends",
    file: `${source}/session.ts`,
    find: 'if (end === "" || Number(end) <= now) return false',
    replace: 'if (end === "") return false',
    test: { path: signIn, title: "ends after 12 hours" },
  },
  {
    name: "a session of the dashboard states its own end",
    file: `${source}/session.ts`,
    find: "return verify(`session ${end}`, fromBase64(standard))",
    replace: 'return verify("session", await sign("session"))',
    test: { path: signIn, title: "cannot be made longer or forged" },
  },
  {
    name: "passwords of the dashboard are tried without limit",
    file: `${source}/tries.ts`,
    find: "if (recent.length >= maxTries) return false",
    replace: "",
    test: {
      path: signIn,
      title: "is refused unread after ten in a minute from an address, as is the right one then",
    },
  },
  {
    name: "a form of another site signs in",
    file: `${source}/signIn.ts`,
    find: "if (isForm(request) && isOwnForm(request))",
    replace: "if (isForm(request))",
    test: { path: signIn, title: "does not end or begin with a form of another site" },
  },
  {
    name: "a theme ends the style sheet's rule",
    file: `${source}/theme.ts`,
    find: "[^;{}<>]{1,200}$/i",
    replace: "[^<>]{1,200}$/i",
    test: {
      path: pages,
      title: "refuses a value that is no single CSS value: red;}body{display:none",
    },
  },
  {
    name: "a missing script is a page",
    file: `${source}/dashboard.ts`,
    find: "if (file === undefined) return undefined",
    replace: 'if (file === undefined) return { status: 200, headers: common, body: "" }',
    test: { path: pages, title: "that does not exist is missing: /assets/main.js" },
  },
]
