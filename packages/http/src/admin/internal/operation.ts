import type { Access } from "@countersign/core/api/Operation"
import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import { EndpointAccess } from "../Principal.ts"
import { accessOf, type EndpointName } from "./access.ts"

/** The summary and description of an endpoint, with the rights that it needs. */
export const operation = (needed: EndpointName | Access, summary: string, description = "") => {
  const access: Access = typeof needed === "string" ? accessOf[needed] : needed
  const who = access.isOperatorOnly === true ? "Only for operators with" : "Requires"
  return Context.add(
    OpenApi.annotations({
      summary,
      description: `${description} ${who} the role \`${access.role}\`.`.trim(),
    }),
    EndpointAccess,
    access,
  )
}

/** The title and description of a group of endpoints. */
export const group = (title: string, description: string) =>
  OpenApi.annotations({ title, description })
