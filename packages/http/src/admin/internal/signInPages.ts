/** The pages of a sign-in with a provider. They need no script, and load nothing. */

const texts = {
  en: {
    title: "Sign in",
    button: "Sign in with {provider}",
    again: "Try again",
    other: "Sign in with another account",
    leave: "Sign out at {provider} as well",
    signedOut: "You are signed out",
    roles:
      "{provider} knows you as {name}, but your account has no role here. Ask for one of these roles: {values}.",
    organizations:
      "{provider} knows you as {name}, but does not say which organizations are yours. The role tenant needs the claim {claim}.",
    provider: "{provider} refused the sign-in: {error}.",
    state: "This sign-in began in another browser or too long ago. Begin again.",
    unavailable: "{provider} did not answer as expected. Try again in a minute.",
  },
  bn: {
    title: "সাইন ইন",
    button: "{provider} দিয়ে সাইন ইন করুন",
    again: "আবার চেষ্টা করুন",
    other: "অন্য অ্যাকাউন্ট দিয়ে সাইন ইন করুন",
    leave: "{provider} থেকেও সাইন আউট করুন",
    signedOut: "আপনি সাইন আউট করেছেন",
    roles:
      "{provider} আপনাকে {name} নামে চেনে, কিন্তু আপনার অ্যাকাউন্টের এখানে কোনো ভূমিকা নেই। এই ভূমিকাগুলোর একটি চেয়ে নিন: {values}।",
    organizations:
      "{provider} আপনাকে {name} নামে চেনে, কিন্তু আপনার প্রতিষ্ঠান কোনগুলো তা জানায়নি। tenant ভূমিকার জন্য {claim} দরকার।",
    provider: "{provider} সাইন ইন করতে দেয়নি: {error}।",
    state: "এই সাইন ইন অন্য ব্রাউজারে বা অনেক আগে শুরু হয়েছিল। আবার শুরু করুন।",
    unavailable: "{provider} ঠিকমতো উত্তর দেয়নি। এক মিনিট পরে আবার চেষ্টা করুন।",
  },
} as const

type Name = keyof typeof texts.en

/** The content of a page. */
export interface Content {
  readonly status: number
  readonly title: Name
  /** The sentence below the title. @defaultValue none */
  readonly problem?: Name
  readonly link: { readonly href: string; readonly text: Name }
  /** Where the browser goes by itself. @defaultValue it stays */
  readonly next?: string
  /** The values of the sentences. */
  readonly values: Readonly<Record<string, string>>
}

const languageOf = (request: Request): "en" | "bn" => {
  const header = request.headers.get("accept-language") ?? ""
  const known = header.split(",").find((part) => /^\s*(bn|en)\b/i.test(part)) ?? ""
  return /^\s*bn\b/i.test(known) ? "bn" : "en"
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (one) => entities[one] ?? "")

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif;background:light-dark(#f6f7f8,#111416);color:light-dark(#17202a,#e7eaed)}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;box-sizing:border-box}
main{width:100%;max-width:24rem;box-sizing:border-box;padding:1.75rem;background:light-dark(#fff,#1a1e22);border:1px solid light-dark(#d9dee3,#333a41);border-radius:10px}
h1{margin:0;font-size:1.375rem}
p{margin:1rem 0 0}
a{display:block;margin-top:1.25rem;padding:.5rem .75rem;border-radius:6px;text-align:center;text-decoration:none;font-weight:600;background:light-dark(#0f766e,#2dd4bf);color:light-dark(#fff,#06231f)}
:focus-visible{outline:3px solid light-dark(#0f766e,#5eead4);outline-offset:2px}`

const digest = async (text: string): Promise<string> => {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}

/** The page in the language of the reader. */
export const signInPage = async (
  request: Request,
  { link, next, problem, status, title, values }: Content,
  cookies: ReadonlyArray<string> = [],
): Promise<Response> => {
  const language = languageOf(request)
  const fill = (name: Name): string =>
    escape(texts[language][name].replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? ""))
  const refresh =
    next === undefined ? "" : `<meta http-equiv="refresh" content="0;url=${escape(next)}">\n`
  const sentence = problem === undefined ? "" : `<p role="alert">${fill(problem)}</p>\n`
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh}<title>${fill(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${fill(title)}</h1>
${sentence}<a href="${escape(link.href)}">${fill(link.text)}</a>
</main>
</body>
</html>
`
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-language": language,
    "cache-control": "no-store",
    vary: "Cookie, Accept-Language",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${await digest(style)}'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  })
  for (const cookie of cookies) headers.append("set-cookie", cookie)
  return new Response(html, { status, headers })
}
