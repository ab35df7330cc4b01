import { ApiError } from "../../api/client.ts"

/** A field that is no whole number, refused as the service refuses it. */
export const noNumber = (field: string): ApiError =>
  new ApiError(422, {
    problems: { [field]: [{ code: "not_integer", params: {}, message: "must be a whole number" }] },
  })
