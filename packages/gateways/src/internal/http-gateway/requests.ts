/** Makes requests according to a description. */
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpRequestDescription } from "../../HttpDescription.ts"
import * as Template from "./template.ts"

/** Characters allowed in a header value. Others would end the header or be changed by the encoding. */
const headerValue = /^[\t\x20-\x7e]*$/

const bodyOf = (body: HttpRequestDescription["body"], fill: Template.Fill) => {
  if (body === undefined) return undefined
  if ("form" in body) {
    // URLSearchParams encodes the values.
    const form = new URLSearchParams(
      Object.entries(body.form).map(([key, template]) => [key, Template.render(template, fill)]),
    )
    return HttpBody.text(form.toString(), "application/x-www-form-urlencoded")
  }
  if ("json" in body) {
    const json = Template.mapTexts(body.json, (text) => Template.render(text, fill))
    return HttpBody.text(JSON.stringify(json), "application/json")
  }
  const { contentType, text } = body
  const encode = /xml/i.test(contentType) ? Template.xml : Template.plain
  return HttpBody.text(Template.render(text, fill, encode), contentType)
}

/** Makes the request; `undefined` if a header value contains a forbidden character. */
export const requestOf = (
  { basic, body, headers = {}, method = "POST", url }: HttpRequestDescription,
  fill: Template.Fill,
): HttpClientRequest.HttpClientRequest | undefined => {
  const filled = Object.entries(headers).map(
    ([name, template]) => [name, Template.render(template, fill)] as const,
  )
  if (!filled.every(([, value]) => headerValue.test(value))) return undefined
  const made = bodyOf(body, fill)
  const bare = HttpClientRequest.make(method)(Template.render(url, fill, Template.url))
  // The host's content type overrides the body's own.
  const whole = HttpClientRequest.setHeaders(
    made === undefined ? bare : HttpClientRequest.setBody(bare, made),
    filled,
  )
  return basic === undefined
    ? whole
    : HttpClientRequest.basicAuth(
        whole,
        Template.render(basic.username, fill),
        Template.render(basic.password, fill),
      )
}
