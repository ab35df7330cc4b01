import { digest, escapeHtml, toBase64 } from "./encoding.ts"
import type { Locale } from "./options.ts"

const texts = {
  en: {
    title: "Sign in",
    password: "Password",
    submit: "Sign in",
    wrong: "The password is wrong. Try again.",
    limited:
      "The password is wrong. There were many wrong ones in the last minute, so answers are slow now.",
    busy: "Too many passwords are being tried. Try again in ten seconds.",
  },
  bn: {
    title: "সাইন ইন",
    password: "পাসওয়ার্ড",
    submit: "সাইন ইন করুন",
    wrong: "পাসওয়ার্ডটি ভুল। আবার চেষ্টা করুন।",
    limited: "পাসওয়ার্ডটি ভুল। গত এক মিনিটে অনেক ভুল পাসওয়ার্ড এসেছে, তাই এখন উত্তর ধীরে আসছে।",
    busy: "এখন অনেক পাসওয়ার্ড পরীক্ষা করা হচ্ছে। দশ সেকেন্ড পরে আবার চেষ্টা করুন।",
  },
} as const

/** The first language of an `Accept-Language` header that the page has. */
const languageOf = (header: string): Locale =>
  /^\s*bn\b/i.test(header.split(",").find((part) => /^\s*(bn|en)\b/i.test(part)) ?? "")
    ? "bn"
    : "en"

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif;background:light-dark(#f6f7f8,#111416);color:light-dark(#17202a,#e7eaed)}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;box-sizing:border-box}
main{width:100%;max-width:21rem;box-sizing:border-box;padding:1.75rem;background:light-dark(#fff,#1a1e22);border:1px solid light-dark(#d9dee3,#333a41);border-radius:10px}
p.name{margin:0;color:light-dark(#55606b,#a3adb7);font-size:.875rem}
h1{margin:0 0 1.25rem;font-size:1.375rem}
label{display:block;margin-bottom:.375rem;font-weight:600;font-size:.875rem}
input,button{box-sizing:border-box;width:100%;font:inherit;padding:.5rem .75rem;border-radius:6px}
input{border:1px solid light-dark(#87929d,#6d7882);background:light-dark(#fff,#111416);color:inherit}
button{margin-top:1rem;border:0;background:light-dark(#0f766e,#2dd4bf);color:light-dark(#fff,#06231f);font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid light-dark(#0f766e,#5eead4);outline-offset:2px}
.problem{margin:.5rem 0 0;color:light-dark(#b42318,#ff9a8f);font-size:.875rem}`

/**
 * The page with the form. Its style is inside, because the page does not know where the mount is. `problem`: why the
 * form is shown again.
 */
export const signInPage = async (
  request: Request,
  givenName = "Countersign",
  status: number,
  problem?: "wrong" | "limited" | "busy",
): Promise<Response> => {
  const language = languageOf(request.headers.get("accept-language") ?? "")
  const text = texts[language]
  const [attributes, sentence] =
    problem === undefined
      ? ["", ""]
      : [
          ' aria-invalid="true" aria-describedby="problem"',
          `\n<p class="problem" id="problem" role="alert">${text[problem]}</p>`,
        ]
  const name = escapeHtml(givenName)
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text.title} · ${name}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<p class="name">${name}</p>
<h1>${text.title}</h1>
<form method="post">
<label for="password">${text.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus${attributes}>${sentence}
<button type="submit">${text.submit}</button>
</form>
</main>
</body>
</html>
`
  return new Response(html, { status, headers: await headers(language, status) })
}

const headers = async (language: Locale, status: number): Promise<Record<string, string>> => ({
  "content-type": "text/html; charset=utf-8",
  "content-language": language,
  "cache-control": "no-store",
  vary: "Cookie, Accept-Language",
  // The pages' own policy, and this one style.
  "content-security-policy": `default-src 'none'; style-src 'sha256-${toBase64(await digest(style))}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  ...(status === 429 ? { "retry-after": "10" } : {}),
})
