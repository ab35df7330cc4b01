/** The OpenAPI document of the login. */
import * as OpenApi from "effect/http-api/OpenApi"
import { LoginApi } from "../LoginApi.ts"

const document = OpenApi.fromApi(LoginApi)

/** The document of a login below this path. */
export const documentAt = (base: string): object => ({
  ...document,
  servers: [{ url: base === "" ? "/" : base }],
})
