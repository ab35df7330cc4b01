/**
 * What a browser complains about on a page: exceptions, console errors, which include violations of the
 * security policy, and requests to another origin.
 */
import type { BrowserContext, Page } from "playwright-core"

/** Answers such as 404 are logged by the browser as well; the page explains them. */
const isAnswer = (text: string): boolean => /status of [45]\d\d|net::ERR_/.test(text)

const watch = (page: Page, origin: string, complaints: Array<string>): void => {
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (entry) => {
    if (entry.type() === "error" && !isAnswer(entry.text())) complaints.push(entry.text())
  })
  page.on("request", (request) => {
    const url = request.url()
    if (!/^(data|blob):/.test(url) && new URL(url).origin !== origin)
      complaints.push(`asked for ${url}`)
  })
}

/** Collects the complaints about every page of a context, from now on. */
export const complaintsOf = (context: BrowserContext, origin: string): ReadonlyArray<string> => {
  const complaints: Array<string> = []
  context.on("page", (page) => watch(page, origin, complaints))
  return complaints
}
