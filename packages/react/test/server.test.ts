/** The components on a server, where there is no document. */
import { createElement } from "react"
import { renderToString } from "react-dom/server"
import { assert, test } from "vitest"
import { bangla, useVerification, VerificationForm } from "../src/index.ts"

test("the form is rendered with its first step", () => {
  const html = renderToString(
    createElement(VerificationForm, { basePath: "/login", texts: bangla }),
  )
  assert.include(html, 'autoComplete="tel"')
  assert.include(html, bangla.sendCode)
  assert.include(html, 'lang="bn"')
})

test("a mistake in the options says what to write", () => {
  const Page = () => {
    // @ts-expect-error -- neither a path nor a fetcher
    useVerification({})
    return null
  }
  assert.throws(() => renderToString(createElement(Page)), /pass either basePath or fetcher/)
})
