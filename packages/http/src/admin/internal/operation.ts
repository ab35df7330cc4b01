import * as OpenApi from "effect/http-api/OpenApi"
import { type Access, accessOf, type EndpointName } from "./access.ts"

/** The summary and description of an endpoint, with the rights that it needs. */
export const operation = (name: EndpointName, summary: string, description = "") => {
  const { isOperatorOnly = false, role }: Access = accessOf[name]
  const who = isOperatorOnly ? "Only for operators with" : "Requires"
  return OpenApi.annotations({
    summary,
    description: `${description} ${who} the role \`${role}\`.`.trim(),
  })
}

/** The title and description of a group of endpoints. */
export const group = (title: string, description: string) =>
  OpenApi.annotations({ title, description })
