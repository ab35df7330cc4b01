/**
 * What a browser without JavaScript does with the app's forms and its cookie, without the browser.
 */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Visitor {
  readonly get: (path: string) => Promise<Answer>
  readonly post: (
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** What is sent along with the next request. */
  readonly cookie: () => string
}

/** `cookie` is what it starts with: that of another browser, perhaps. */
export const visiting = (origin: string, cookie = ""): Visitor => {
  let kept = cookie
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${origin}${path}`, { redirect: "manual", ...init })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) kept = /session=;/.test(set) ? "" : (set.split(";")[0] ?? "")
    const { headers, status } = response
    return { status, headers, text: await response.text() }
  }
  return {
    get: (path) => ask(path, { headers: { cookie: kept } }),
    post: (path, fields = {}, headers = {}) =>
      ask(path, {
        method: "POST",
        headers: { cookie: kept, origin, ...headers },
        body: new URLSearchParams(fields),
      }),
    cookie: () => kept,
  }
}
