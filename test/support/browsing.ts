/**
 * What a browser does with the app's cookies, without the browser.
 */

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface Browsing {
  readonly get: (path: string) => Promise<Answer>
  readonly post: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** What is sent along with the next request. */
  readonly cookie: () => string
}

/** `cookie` is what it starts with: that of another browser, perhaps. */
export const browsing = (origin: string, cookie = ""): Browsing => {
  let kept = cookie
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${origin}${path}`, init)
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) kept = set.includes("Max-Age=0") ? "" : (set.split(";")[0] ?? "")
    const { headers, status } = response
    return { status, headers, body: await response.json() }
  }
  return {
    get: (path) => ask(path, { headers: { cookie: kept } }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: "POST",
        headers: { cookie: kept, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    cookie: () => kept,
  }
}
