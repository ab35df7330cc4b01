/**
 * Validates a description before its first use.
 */
import { isPath } from "../jsonPath.ts"
import { conditionsOf, patternOf } from "./answers.ts"
import type {
  HttpCondition,
  HttpDescription,
  HttpRequestDescription,
  HttpSource,
  HttpWhen,
} from "../../HttpDescription.ts"
import { isTorn, mapTexts, namesIn } from "./template.ts"

/** Placeholders that are available in every request. */
export const messageNames: ReadonlyArray<string> = [
  "to",
  "toNational",
  "sender",
  "text",
  "encoding",
  "token",
  "token20",
  "ref",
]

/** Placeholders that are available in a poll request. */
export const pollNames: ReadonlyArray<string> = [
  "id",
  "token",
  "token20",
  "ref",
  "to",
  "toNational",
]

/** Every template of a request, with its position. */
const templatesOf = (request: HttpRequestDescription): ReadonlyArray<readonly [string, string]> => {
  const { basic, body, headers = {}, url } = request
  const inBody: Array<readonly [string, string]> = []
  if (body !== undefined && "form" in body) {
    inBody.push(
      ...Object.entries(body.form).map(([key, text]) => [`body.form.${key}`, text] as const),
    )
  }
  if (body !== undefined && "text" in body) inBody.push(["body.text", body.text])
  if (body !== undefined && "json" in body) {
    mapTexts(body.json, (text) => {
      inBody.push(["body.json", text])
      return text
    })
  }
  return [
    ["url", url],
    ...Object.entries(headers).map(([key, text]) => [`headers.${key}`, text] as const),
    ...(basic === undefined
      ? []
      : [["basic.username", basic.username] as const, ["basic.password", basic.password] as const]),
    ...inBody,
  ]
}

/** The placeholders of a request. */
export const namesOf = (request: HttpRequestDescription): ReadonlySet<string> =>
  new Set(templatesOf(request).flatMap(([, template]) => namesIn(template)))

const urlProblems = (url: string): ReadonlyArray<string> => {
  const [, origin] = /^(https?:\/\/[^/?#]*)/.exec(url) ?? []
  if (origin === undefined) return ["url: it has to begin with http:// or https://"]
  if (origin.includes("{")) return ["url: a placeholder may stand in the path and the query only"]
  if (origin.includes("@")) return ["url: a password does not belong there; use basic"]
  return URL.canParse(url.replaceAll(/[{}]/g, "")) ? [] : ["url: it is no address"]
}

const bodyProblems = ({ body, method = "POST" }: HttpRequestDescription): ReadonlyArray<string> => {
  if (method === "GET") return body === undefined ? [] : ["body: a GET has none"]
  if (body === undefined) return []
  if (!("text" in body)) return []
  const { contentType } = body
  return /^text\/plain\b/i.test(contentType) || /xml/i.test(contentType)
    ? []
    : [`body.contentType: no encoding of a value is known for "${contentType}"; use form or json`]
}

const requestProblems = (
  request: HttpRequestDescription,
  known: ReadonlySet<string>,
): ReadonlyArray<string> => [
  ...urlProblems(request.url),
  ...bodyProblems(request),
  ...Object.keys(request.headers ?? {}).flatMap((name) =>
    /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) ? [] : [`headers: "${name}" is no name of a header`],
  ),
  ...templatesOf(request).flatMap(([where, template]) => [
    ...(isTorn(template) ? [`${where}: a brace stands alone; write {{ or }}`] : []),
    ...namesIn(template).flatMap((name) =>
      known.has(name) ? [] : [`${where}: nothing is known as {${name}}`],
    ),
  ]),
]

const patternProblems = (text: string, groups: number): ReadonlyArray<string> => {
  try {
    const pattern = patternOf(text)
    const found = (new RegExp(`${pattern.source}|`, "iu").exec("")?.length ?? 1) - 1
    return found >= groups ? [] : [`"${text}" needs a group for what is looked for`]
  } catch {
    return [`"${text}" is no pattern`]
  }
}

const pathProblems = (path: string): ReadonlyArray<string> =>
  isPath(path) ? [] : [`"${path}" is no path; write one like data.items[0].status`]

const conditionProblems = ({
  equals,
  matches,
  path,
  status,
}: HttpCondition): ReadonlyArray<string> => [
  ...(status === undefined && path === undefined && matches === undefined
    ? ["a condition needs a status, a path or a pattern"]
    : []),
  ...(equals !== undefined && path === undefined ? ["equals needs a path"] : []),
  ...(path === undefined ? [] : pathProblems(path)),
  ...(matches === undefined ? [] : patternProblems(matches, 0)),
]

const whenProblems = (when: HttpWhen): ReadonlyArray<string> => {
  const conditions = conditionsOf(when)
  return conditions.length === 0
    ? ["a condition is missing"]
    : conditions.flatMap(conditionProblems)
}

const sourceProblems = (source: HttpSource | undefined): ReadonlyArray<string> => {
  if (source === undefined) return []
  return "path" in source ? pathProblems(source.path) : patternProblems(source.pattern, 1)
}

const isStatusAlone = (when: HttpWhen): boolean =>
  conditionsOf(when).every(({ matches, path }) => path === undefined && matches === undefined)

const under = (where: string, problems: ReadonlyArray<string>): ReadonlyArray<string> =>
  problems.map((problem) => `${where}: ${problem}`)

const outcomeProblems = ({ outcomes }: HttpDescription): ReadonlyArray<string> => [
  ...outcomes.flatMap(({ means, retryAfterSeconds, when }, index) =>
    under(`outcomes[${index}]`, [
      ...whenProblems(when),
      ...((means === "accepted" || means === "delivered") && isStatusAlone(when)
        ? ["a status alone does not prove that a message was taken; say what the answer holds"]
        : []),
      ...(retryAfterSeconds === undefined || (means === "throttled" && retryAfterSeconds >= 0)
        ? []
        : ["retryAfterSeconds is for throttled, from 0 on"]),
    ]),
  ),
  ...(outcomes.some(({ means }) => means === "accepted" || means === "delivered")
    ? []
    : ["outcomes: no answer means that a message was taken"]),
]

const pollProblems = (
  { id, poll }: HttpDescription,
  known: ReadonlySet<string>,
): ReadonlyArray<string> => {
  if (poll === undefined) return []
  const { endSeconds = 86_400, firstSeconds = 5, longestSeconds = 600, request, statuses } = poll
  const names = namesOf(request)
  return under("poll", [
    ...under("request", requestProblems(request, known)),
    ...under("message", sourceProblems(poll.message)),
    ...Object.entries(poll.evidence ?? {}).flatMap(([name, source]) =>
      under(`evidence.${name}`, sourceProblems(source)),
    ),
    ...statuses.flatMap(({ when }, index) => under(`statuses[${index}]`, whenProblems(when))),
    ...(statuses.some(({ status }) => status !== "accepted") ? [] : ["no status is a last word"]),
    ...(["id", "ref", "token", "token20"].some((name) => names.has(name))
      ? []
      : ["the request does not say which message it is about"]),
    ...(names.has("id") && id === undefined ? ["{id} needs the description's id"] : []),
    ...(1 <= firstSeconds && firstSeconds <= longestSeconds && longestSeconds <= endSeconds
      ? []
      : ["1 <= firstSeconds <= longestSeconds <= endSeconds does not hold"]),
  ])
}

/** Longest allowed timeout of a dispatch. */
const maxTimeoutMillis = 120_000

const settingProblems = (self: HttpDescription): ReadonlyArray<string> => {
  const {
    country,
    dedupeSeconds = 0,
    encodings,
    idSeconds = 0,
    recipient,
    secrets = [],
    timeoutMillis = 15_000,
    values,
  } = self
  const names = new Set([
    ...namesOf(self.request),
    ...(self.poll === undefined ? [] : namesOf(self.poll.request)),
  ])
  const own = [...secrets, ...Object.keys(values ?? {})]
  const needsCountry = recipient === "national" || names.has("toNational")
  return [
    ...own.flatMap((name, index) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [`"${name}" is no name of a placeholder`]
      if (messageNames.includes(name) || pollNames.includes(name)) {
        return [`{${name}} has a meaning already`]
      }
      return own.indexOf(name) === index ? [] : [`{${name}} is named twice`]
    }),
    ...secrets.flatMap((name) => (names.has(name) ? [] : [`the secret {${name}} is used nowhere`])),
    ...(needsCountry && country === undefined
      ? ["a number in national form needs the country"]
      : []),
    ...(country === undefined ||
    (/^[1-9]\d{0,3}$/.test(country.code) && /^\d{0,4}$/.test(country.trunk))
      ? []
      : ['country: write it like { "code": "880", "trunk": "0" }']),
    ...(names.has("encoding") && encodings === undefined ? ["{encoding} needs encodings"] : []),
    ...(names.has("to") || names.has("toNational") ? [] : ["the request does not say to whom"]),
    ...(names.has("text") ? [] : ["the request does not hold the text"]),
    ...(dedupeSeconds >= 0 ? [] : ["dedupeSeconds: from 0 on"]),
    ...(idSeconds >= 0 ? [] : ["idSeconds: from 0 on"]),
    ...(dedupeSeconds > 0 && !names.has("token") && !names.has("token20")
      ? ["dedupeSeconds: the request has no {token}"]
      : []),
    ...(timeoutMillis >= 1 && timeoutMillis <= maxTimeoutMillis
      ? []
      : [`timeoutMillis: from 1 to ${maxTimeoutMillis}`]),
  ]
}

/** Returns one sentence per problem; empty for a valid description. */
export const problemsOf = (self: HttpDescription): ReadonlyArray<string> => {
  const own = [...(self.secrets ?? []), ...Object.keys(self.values ?? {})]
  return [
    ...under("request", requestProblems(self.request, new Set([...messageNames, ...own]))),
    ...settingProblems(self),
    ...outcomeProblems(self),
    ...under("id", sourceProblems(self.id)),
    ...under("segments", sourceProblems(self.segments)),
    ...under("message", sourceProblems(self.message)),
    ...pollProblems(self, new Set([...pollNames, ...own])),
  ]
}
